import { isDeepStrictEqual } from 'node:util';

/** Checks whether one of the fields would change the document; the order of keys inside them does not matter. */
export function differs<D extends object>(before: D, fields: Partial<D>): boolean {
  const names = Object.keys(fields) as (keyof D)[];
  return names.some((name) => !isDeepStrictEqual(before[name], fields[name]));
}
