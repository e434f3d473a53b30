/** Throws `TypeError` for a limit that would switch off what it limits, such as NaN of an unset variable. */
export function checkLimits(limits: Readonly<Record<string, number>>): void {
  for (const [name, limit] of Object.entries(limits))
    if (!Number.isFinite(limit) || limit < 1) throw new TypeError(`${name} is a number from 1 on`);
}
