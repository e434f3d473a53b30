// Texts of others, such as receivers' answers: nothing in them may change how the page looks.

// Controls but tab and line feed, and all that shows nothing or turns the text around; an emoji
// keeps what makes it one.
const hidden = new RegExp(
  [
    String.raw`(?!(?<=\p{Extended_Pictographic})\uFE0F)`,
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D\p{Extended_Pictographic})`,
    String.raw`(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]`,
  ].join(''),
  'u',
);
const allHidden = new RegExp(hidden, 'gu');

/** Reports whether a text has characters that show nothing, or turn the text around. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/** Returns a text in which characters that show nothing, or turn the text around, have a name. */
export function visibleText(text: string): string {
  return text.replaceAll(allHidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Reports whether somebody typed a text, as it is or as it is shown; spaces do not count. */
export function isTypedAs(typed: string, text: string): boolean {
  const wanted = [text, visibleText(text)].map(withoutSpaces);
  return wanted.includes(withoutSpaces(typed));
}

function withoutSpaces(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
