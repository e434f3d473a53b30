// Texts of others, such as receivers' answers: nothing in them may change how the page looks.

// C0 and C1 controls but tab and line feed, marks of direction, zero-width and byte order marks.
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/;
const allHidden = new RegExp(hidden, 'g');

/** Reports whether a text has characters that show nothing, or turn the text around. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/** Returns a text in which characters that show nothing, or turn the text around, have a name. */
export function visibleText(text: string): string {
  return text.replaceAll(
    allHidden,
    (character) => `⟨${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
