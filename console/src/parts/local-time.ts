// Converts times for inputs of the type `datetime-local`, in the viewer's zone.

const firstYear = 1970;

/** Converts an instant to the value of an input. Empty for no instant. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Converts the value of an input to an instant. Null while it is incomplete: a year being typed starts as 0002. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() < firstYear ? null : at.toISOString();
}

/** Returns the viewer's time zone with its present distance from UTC: "Europe/Berlin (GMT+1)". */
export function zoneName(now = new Date()): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' }).formatToParts(
    now,
  );
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  return `${timeZone} (${offset.replace('GMT', 'UTC')})`;
}
