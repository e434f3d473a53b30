interface Markers {
  readonly begin: string;
  readonly end: string;
}

const inMarkdown = { begin: '<!-- begin: npm run generate -->\n\n', end: '\n<!-- end -->' };

/** Returns the page with new texts between its pairs of markers. Throws if it has another number of pairs. */
export function withGenerated(
  page: string,
  texts: readonly string[],
  { begin, end }: Markers = inMarkdown,
): string {
  const [before, ...parts] = page.split(begin);
  const rest = parts.map((part) => part.split(end)[1]);
  if (rest.length !== texts.length || rest.includes(undefined))
    throw new Error(`not ${texts.length} times "${begin}" and "${end}"`);
  return before + texts.map((text, n) => `${begin}${text}${end}${rest[n]}`).join('');
}
