import { described, limitGroups } from '../../lib/limits.ts';
import { bytesOf, memoryOf } from './memory.ts';

const introduction = `# Limits

After reading this page you know every limit that no setting changes; [configuration.md](configuration.md) has the
others. Values are maximums unless they say otherwise. \`npm run generate\` writes this page from \`lib/limits.ts\`.
`;

/** Renders all groups of limits. */
export function limitsPage(): string {
  const tables = Object.values(limitGroups).map(({ [described]: { title, rows } }) => {
    const lines = Object.entries(rows).map(
      ([name, [value, bounds]]) => `| ${bounds} | ${withUnit(name, value)} |\n`,
    );
    return `\n## ${title}\n\n| limit | value |\n| --- | --- |\n${lines.join('')}`;
  });
  return introduction + tables.join('') + memorySection();
}

function memorySection(): string {
  const names = [...new Set(Object.values(memoryOf).flatMap((rows) => Object.keys(rows)))];
  const cell = (bytes: number | undefined): string =>
    bytes === undefined ? '' : `${Math.ceil(bytes / 1_024 ** 2).toLocaleString('en')} MiB`;
  const columns: Record<string, number>[] = [memoryOf.api, memoryOf.worker];
  const lines = names.map(
    (name) => `| ${name} | ${columns.map((rows) => cell(rows[name])).join(' | ')} |\n`,
  );
  const sum = `| together | ${cell(bytesOf('api'))} | ${cell(bytesOf('worker'))} |\n`;
  return memoryIntroduction + lines.join('') + sum;
}

const memoryIntroduction = `
## Memory of a process

The maximum with the default settings, when all bounds are reached together (\`dev/limits/memory.ts\`). The memory limits
of the chart and the systemd units are higher ([deployment.md](deployment.md#resources)).

| | api | worker |
| --- | --- | --- |
`;

const units = {
  Bytes: { MiB: 1_024 ** 2, KiB: 1_024, bytes: 1 },
  Ms: { days: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 },
  Characters: { characters: 1 },
  PerSecond: { 'a second': 1 },
  PerMinute: { 'a minute': 1 },
};

/** Returns a value in the largest unit in which it is a whole number. Its name contains the original unit. */
export function withUnit(name: string, value: number): string {
  for (const [word, sizes] of Object.entries(units)) {
    if (!new RegExp(`${word}(?![a-z])`).test(name)) continue;
    const [unit, size] = Object.entries(sizes).find(([, size]) => value % size === 0) ?? ['', 1];
    return `${(value / size).toLocaleString('en')} ${unit}`;
  }
  return value.toLocaleString('en');
}
