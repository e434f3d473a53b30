// Whether a payload mentions somebody: as a value, and not as a part of one or as a field's name.

/**
 * Tells whether one of the texts stands as a whole value, at any depth, in the `data` of a body: as
 * a string, or as a number that is written so. The envelope around `data` is ours and names nobody.
 */
export function isMentioned(body: string, texts: readonly string[]): boolean {
  const { data } = JSON.parse(body) as { data: unknown };
  // A list and not a recursion, because a payload may be nested deeper than a stack is.
  const values: unknown[] = [data];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value === 'string' && texts.includes(value)) return true;
    if (typeof value === 'number' && texts.includes(String(value))) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) values.push(inner);
  }
  return false;
}
