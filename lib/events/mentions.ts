/** Reports whether one of the texts is a whole value, string or number, at any depth of the `data` of a body. */
export function isMentioned(body: string, texts: readonly string[]): boolean {
  const { data } = JSON.parse(body) as { data: unknown };
  // No recursion: a payload may be nested deeper than the stack.
  const values: unknown[] = [data];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value === 'string' && texts.includes(value)) return true;
    if (typeof value === 'number' && texts.includes(String(value))) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) values.push(inner);
  }
  return false;
}
