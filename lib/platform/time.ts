const timeShape = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The latest time in RFC 3339: `Date` formats the year 10000 as +010000. */
export const latestTime = new Date('9999-12-31T23:59:59.999Z');

/** Parses an ISO 8601 time with an offset; null if it is invalid, or the year in UTC does not have four digits. */
export function readTime(text: string): Date | null {
  const at = new Date(text);
  const day = timeShape.exec(text)?.[1];
  if (day === undefined || Number.isNaN(at.getTime()) || !isDay(day)) return null;
  return /^\d/.test(at.toISOString()) ? at : null;
}

/** Rejects February 30, which `Date` reads as March 2. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}
