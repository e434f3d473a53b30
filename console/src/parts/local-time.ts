// Times as inputs of the type `datetime-local` have them, in the zone of the viewer.

const firstYear = 1970;

/** Returns an instant as an input takes it; nothing for none. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Returns the instant of an input; null while it is not whole: a year begins as 0002. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() < firstYear ? null : at.toISOString();
}
