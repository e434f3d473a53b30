// The schemas of texts: which characters they may hold, and how many.

/** The formats of texts, by the name that schemas use, each with what a caller is told. */
export const textFormats = {
  line: {
    accepts: (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
    fault: 'must hold no control characters and no line breaks',
  },
  text: {
    accepts: (text: string) => !/[^\P{Cc}\t\n\r]/u.test(text),
    fault: 'must hold no control characters but tabs and line breaks',
  },
} as const;

interface TextField {
  type: 'string';
  minLength: number;
  maxLength: number;
  format: keyof typeof textFormats;
}

/**
 * A text of one line, such as a name or somebody else's id: of 1 to `charactersMax` characters, none
 * of which would break a line of a log or move a terminal's cursor.
 */
export function lineField(charactersMax: number): TextField {
  return { type: 'string', minLength: 1, maxLength: charactersMax, format: 'line' };
}

/** A uid as callers may write one; whether there is such a thing is another question. */
export const uidField = lineField(64);
