import type { Longest, Metrics, Sizes } from './measure.ts';

/** Renders two tables: the rooms, and the tree as a whole. */
export function toMarkdown(metrics: Metrics): string {
  const { rooms, production, allButTests } = metrics;
  const sums = { '**production**': production, '**all but tests**': allButTests };
  const rows = Object.entries({ ...rooms, ...sums });
  const roomTable = table(
    roomHead,
    rows.map(([room, sizes]) => [room, ...sizeCells(sizes)]),
  );
  return `${roomTable}\n${table(['figure', 'value', 'which'], figures(metrics))}`;
}

const roomHead = [
  'room',
  'files',
  'lines',
  'comment lines',
  'median file',
  'longest file',
  'functions',
  'median function',
  'longest function',
];

function sizeCells(sizes: Sizes): string[] {
  const cells = [
    sizes.files,
    sizes.lines,
    percent(sizes.commentShare),
    sizes.medianFile,
    sizes.longestFile?.lines ?? 0,
    sizes.functions,
    sizes.medianFunction,
    sizes.longestFunction?.lines ?? 0,
  ];
  return cells.map(String);
}

function figures({ production, reach, cycles, prose, ...lists }: Metrics): string[][] {
  const { longest } = prose;
  const inCycles = cycles.map((group) => group.length);
  return [
    longestRow('longest file', production.longestFile),
    longestRow('longest function', production.longestFunction),
    ['comment share of lines', percent(production.commentShare), 'production'],
    [
      'files reached by an attempt',
      String(reach?.files.length ?? 0),
      reach === null
        ? ''
        : `${reach.lines} lines, from ${reach.entry} in ${reach.rooms.join(', ')}`,
    ],
    ['import cycles, types counted', String(cycles.length), `files: ${inCycles.join(' + ') || 0}`],
    listRow('delivery states', lists.deliveryStates),
    listRow('workflows', lists.workflows),
    listRow('activities', lists.activities),
    listRow('workflow id schemes', lists.workflowIdSchemes),
    [
      'longest prose line',
      String(longest?.characters ?? 0),
      longest === null ? '' : `${longest.path}:${longest.line}`,
    ],
    ['prose lines over 120 characters', String(prose.wide), ''],
  ];
}

function longestRow(name: string, longest: Longest | null): string[] {
  return [name, String(longest?.lines ?? 0), longest?.where ?? ''];
}

function listRow(name: string, items: readonly string[]): string[] {
  return [name, String(items.length), items.join(', ')];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
