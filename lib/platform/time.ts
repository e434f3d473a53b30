const timeShape = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339 has no later one: `Date` writes the year 10000 as +010000. */
export const latestTime = new Date('9999-12-31T23:59:59.999Z');

/** Reads an ISO 8601 time with its offset; null where the text is none, or the year in UTC has no four digits. */
export function readTime(text: string): Date | null {
  const at = new Date(text);
  const day = timeShape.exec(text)?.[1];
  if (day === undefined || Number.isNaN(at.getTime()) || !isDay(day)) return null;
  return /^\d/.test(at.toISOString()) ? at : null;
}

/** Refuses February 30, of which `Date` makes March 2. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
