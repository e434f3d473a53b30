/** Reports whether one of the fields would change the document. */
export function differs<D extends object>(before: D, fields: Partial<D>): boolean {
  const names = Object.keys(fields) as (keyof D)[];
  return names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(fields[name]));
}
