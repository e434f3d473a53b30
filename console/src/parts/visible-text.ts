// Texts from strangers, such as receivers' responses, must not change how the page looks.

// Control characters other than tab and line feed, and characters that are invisible or change the text direction.
// Emoji keep the characters that they are composed of.
const hidden = new RegExp(
  [
    String.raw`(?!(?<=\p{Extended_Pictographic})\uFE0F)`,
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D\p{Extended_Pictographic})`,
    String.raw`(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]`,
  ].join(''),
  'u',
);
const allHidden = new RegExp(hidden, 'gu');

/** Checks whether a text has characters that are invisible or change the text direction. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/** Returns a text in which characters that are invisible or change the text direction are spelled out. */
export function visibleText(text: string): string {
  return text.replaceAll(allHidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Checks whether a text was typed, in its raw or its shown form. Spaces are ignored. */
export function isTypedAs(typed: string, text: string): boolean {
  const wanted = [text, visibleText(text)].map(withoutSpaces);
  return wanted.includes(withoutSpaces(typed));
}

function withoutSpaces(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
