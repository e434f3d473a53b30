import { endOfString } from './json-text.ts';

/**
 * Returns the object at a key of the outermost object, as it was written. A second parse would lose the order of
 * numeric keys, `-0`, and the caller's digits and escapes. `text` must be valid JSON without repeated keys.
 */
export function writtenObject(text: string, key: string): string {
  let depth = 0;
  let begin: number | undefined;
  let before = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1) before = text.slice(at, end + 1);
      at = end;
    } else if (character === '{' || character === '[') {
      depth += 1;
      // In an object, the text before a nested object is its key, which may contain escapes.
      if (depth === 2 && character === '{' && JSON.parse(before) === key) begin = at;
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 1 && begin !== undefined) return text.slice(begin, at + 1);
    }
  }
  throw new Error(`the body has no object ${key}`);
}
