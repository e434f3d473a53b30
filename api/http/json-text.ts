// Reads JSON as text. On invalid JSON the results mean nothing, but take no longer.

interface Outline {
  /** The keys of all objects, repeated ones included. */
  keys: number;
  /** Lists and objects. */
  nested: number;
}

/** Counts in one pass, a tenth of the time that a parse takes. */
export function outlineOf(text: string): Outline {
  const outline = { keys: 0, nested: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    // Outside of strings, a colon follows each key and nothing else.
    else if (character === ':') outline.keys += 1;
    else if (character === '[' || character === '{') outline.nested += 1;
  }
  return outline;
}

/** Returns the position of the quotation mark that ends the string, or of the end of the text. */
export function endOfString(text: string, begin: number): number {
  let end = begin;
  do {
    end = text.indexOf('"', end + 1);
  } while (end !== -1 && isEscaped(text, end));
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}
