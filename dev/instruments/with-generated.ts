const begin = '<!-- begin: npm run generate -->';
const end = '<!-- end -->';

/** Returns the page with a new text between its markers. Throws if they are missing. */
export function withGenerated(page: string, text: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`no "${begin}" and "${end}"`);
  return `${before}${begin}\n\n${text}\n${end}${after}`;
}
