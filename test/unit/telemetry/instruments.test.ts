// The instruments, and their table in docs/metrics.md.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withTable } from '../../../dev/instruments/metrics-table.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';

const all = Object.values(instruments);
const page = readFileSync('docs/metrics.md', 'utf8');

test('the table has a row for each instrument', () => {
  expect(withTable(page, all)).not.toBe(withTable(page, all.slice(1)));
});

test('a page without its markers is not written', () => {
  expect(() => withTable(page.replace('<!-- end -->', ''), all)).toThrow('no "<!-- begin');
});

test.each(all.map((instrument) => [instrument.facts.name, instrument] as const))(
  '%s has a unique name in the style of OpenTelemetry, a unit and no label with many values',
  (name, { facts }) => {
    expect(name).toMatch(/^[a-z]+(?:[._][a-z]+)+$/);
    expect(all.filter((other) => other.facts.name === name)).toHaveLength(1);
    expect(facts.unit).toMatch(/^(?:s|By|1|\{[a-z]+\})$/);
    for (const attribute of Object.keys(facts.attributes)) {
      expect(attribute).not.toMatch(/app|tenant|uid|url|address|host/);
    }
  },
);

test('buckets grow', () => {
  for (const instrument of all) {
    if (instrument.kind !== 'histogram') continue;
    expect(instrument.buckets).toEqual(instrument.buckets.toSorted((a, b) => a - b));
    expect(new Set(instrument.buckets).size).toBe(instrument.buckets.length);
  }
});
