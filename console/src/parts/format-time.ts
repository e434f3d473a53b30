const sameDay: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};
const sameYear: Intl.DateTimeFormatOptions = { ...sameDay, day: 'numeric', month: 'short' };
const otherYear: Intl.DateTimeFormatOptions = { ...sameYear, year: 'numeric' };

export function isSameDay(at: Date, now: Date): boolean {
  return at.toDateString() === now.toDateString();
}

/** Returns a time in the viewer's zone; without the day if it is today, without the year if it is this year. */
export function formatLocal(iso: string, now: Date): string {
  const at = new Date(iso);
  if (isSameDay(at, now)) return at.toLocaleTimeString('en-GB', sameDay);
  const isThisYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleString('en-GB', isThisYear ? sameYear : otherYear);
}

export function formatUtc(iso: string): string {
  return `${new Date(iso).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Returns a duration in its two largest units, such as `2 h 5 min`; below a second in ms. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const begin = units.findIndex(([, unitMs]) => ms >= unitMs);
  let restMs = ms;
  const shown = units.slice(begin, begin + 2).flatMap(([name, unitMs]) => {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return shown.join(' ');
}
