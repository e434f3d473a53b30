const introduction = `# Limits

\`npm run limits\` writes this page from \`lib/limits.ts\`. No setting changes these limits; those of settings are in
[configuration.md](configuration.md). Each loop, queue and buffer has a limit: what matters to one file alone, such as
the size of a batch, is in that file.
`;

/** Renders the groups that the source of \`lib/limits.ts\` exports. Throws for one without a comment. */
export function limitsPage(source: string, groups: Readonly<Record<string, object>>): string {
  const tables = [...source.matchAll(/^export const (\w+) = \{\n(.*?)^\}/gms)].map(
    ([, group = '', body = '']) => {
      const title = commentOf(source, `export const ${group} =`);
      const rows = Object.entries(groups[group] ?? {}).map(([name, value]) => {
        return `| \`${name}\` | ${withUnit(name, Number(value))} | ${commentOf(body, `  ${name}:`)} |\n`;
      });
      return `\n## ${title}\n\n| \`${group}\` | value | bounds |\n| --- | --- | --- |\n${rows.join('')}`;
    },
  );
  if (tables.length !== Object.keys(groups).length)
    throw new Error('a group of limits is not found');
  return introduction + tables.join('');
}

function commentOf(text: string, declaration: string): string {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => line.startsWith(declaration));
  const comment = /^ *\/\*\* (.+?)\.? \*\/$/.exec(lines[index - 1] ?? '')?.[1];
  if (comment === undefined) throw new Error(`no /** comment */ before "${declaration.trim()}"`);
  return comment;
}

const units = {
  Bytes: { MiB: 1_024 ** 2, KiB: 1_024, bytes: 1 },
  Ms: { days: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 },
  Characters: { characters: 1 },
  PerSecond: { 'a second': 1 },
  PerMinute: { 'a minute': 1 },
};

/** Returns a value in the largest unit that leaves it whole; its name says what it counts. */
export function withUnit(name: string, value: number): string {
  for (const [word, sizes] of Object.entries(units)) {
    if (!new RegExp(`${word}(?![a-z])`).test(name)) continue;
    const [unit, size] = Object.entries(sizes).find(([, size]) => value % size === 0) ?? ['', 1];
    return `${(value / size).toLocaleString('en')} ${unit}`;
  }
  return value.toLocaleString('en');
}
