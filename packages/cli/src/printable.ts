// Makes text of strangers fit for a terminal.

// Control characters, line separators, and characters that are invisible or change the direction of text. A joiner in
// an emoji stays.
const hidden =
  /(?!\u200d\p{Extended_Pictographic})[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** Escapes characters that would move the cursor, set colours, or hide or reorder text. Line breaks stay. */
export function printable(text: string): string {
  return text.replaceAll(hidden, (letter) => (letter === '\n' ? letter : escaped(letter)));
}

/** Writes each half of a surrogate pair, so that JSON keeps its meaning. */
function escaped(letter: string): string {
  const units = letter.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

/** Masks the user and password of each URL in a text. */
export function maskUrls(text: string): string {
  // The search takes long in long texts.
  if (!text.includes('@')) return text;
  return text.replaceAll(/(?:([a-z][a-z0-9+.-]*:\/\/)\S*|[^\s'"]*)@[^\s'"@]*/gi, maskUrl);
}

function maskUrl(text: string, scheme = ''): string {
  const start = text.slice(0, text.lastIndexOf('@'));
  const url = URL.canParse(text) ? new URL(text) : null;
  const isClean =
    scheme === ''
      ? // An email address, or one of a webhook.
        !start.includes(':') || /^mailto:/i.test(text)
      : url !== null && url.username === '' && url.password === '';
  return isClean ? text : `${scheme}***${text.slice(start.length)}`;
}
