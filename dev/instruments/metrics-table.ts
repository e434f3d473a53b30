import type { instruments } from '../../lib/telemetry/instruments.ts';
import { withGenerated } from './with-generated.ts';

type Instrument = (typeof instruments)[keyof typeof instruments];

/** Returns the page with an updated table. */
export function withTable(page: string, all: readonly Instrument[]): string {
  return withGenerated(page, [renderTable(all)]);
}

function renderTable(all: readonly Instrument[]): string {
  const rows = all.map(({ kind, facts }) => {
    const attributes = Object.entries(facts.attributes).map(
      ([name, says]) => `\`${name}\`: ${says}`,
    );
    const type = `${kind}, ${facts.unit}`;
    const cells = [`\`${facts.name}\``, type, facts.description, attributes.join('; ')];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `| name | type, unit | meaning | attributes |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}
