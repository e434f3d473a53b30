// Whether a change would change anything.

/** Tells whether one of the fields is not in the document as it is. */
export function differs<D extends object>(before: D, fields: Partial<D>): boolean {
  const names = Object.keys(fields) as (keyof D)[];
  return names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(fields[name]));
}
