// Strings can contain brackets, too.
const textOrBracket = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/**
 * Returns the object at a key of the outermost object, as it was written. A second parse would lose the order of
 * numeric keys, `-0`, and the caller's digits and escapes. `text` must be valid JSON without repeated keys.
 */
export function writtenObject(text: string, key: string): string {
  let depth = 0;
  let begin: number | undefined;
  let before = '';
  for (const { 0: token, index } of text.matchAll(textOrBracket)) {
    if (token === '{' || token === '[') {
      depth += 1;
      // In an object, the text before a nested object is its key, which may contain escapes.
      if (depth === 2 && token === '{' && JSON.parse(before) === key) begin = index;
    } else if (token === '}' || token === ']') {
      depth -= 1;
      if (depth === 1 && begin !== undefined) return text.slice(begin, index + 1);
    } else if (depth === 1) before = token;
  }
  throw new Error(`the body has no object ${key}`);
}
