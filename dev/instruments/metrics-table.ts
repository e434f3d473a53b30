import type { instruments } from '../../lib/telemetry/instruments.ts';

type Instrument = (typeof instruments)[keyof typeof instruments];

const begin = '<!-- begin: npm run generate -->';
const end = '<!-- end -->';

/** Returns the page with its table made anew. Throws without the marks around it. */
export function withTable(page: string, all: readonly Instrument[]): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`no "${begin}" and "${end}"`);
  return `${before}${begin}\n\n${renderTable(all)}\n${end}${after}`;
}

function renderTable(all: readonly Instrument[]): string {
  const rows = all.map(({ kind, facts }) => {
    const attributes = Object.entries(facts.attributes).map(
      ([name, says]) => `\`${name}\`: ${says}`,
    );
    const cells = [`\`${facts.name}\``, kind, facts.unit, facts.description, attributes.join('; ')];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `| name | kind | unit | tells | attributes |\n| --- | --- | --- | --- | --- |\n${rows.join('')}`;
}
