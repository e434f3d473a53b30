// Renders the report as Markdown.
import type { Distribution } from './distribution.ts';
import type { FloorReport } from './floor.ts';
import type { Load } from './load.ts';
import type { Machine } from './machine.ts';
import type { Measurement } from './measure.ts';
import type { ScenarioResult } from './scenario.ts';

/** The results of one run. The JSON file contains exactly this. */
export interface Report {
  machine: Machine;
  settings: Record<string, unknown>;
  floor: FloorReport | null;
  scenarios: ({ name: string; error?: string } & ScenarioResult)[];
}

export const none = '–';
const serviceGroups = ['api', 'worker', 'mongodb', 'temporal'] as const;

export function renderMachine({ machine, settings }: Report): string {
  const { cores, cpuModel, memoryGb, loadBefore, node, mongodb, temporal, commit } = machine;
  return [
    `# agent-herald bench, ${machine.measuredAt}`,
    '',
    `${cores} × ${cpuModel}, ${memoryGb} GB, load ${loadBefore.toFixed(2)} before; Node ${node}, MongoDB ${mongodb}, ` +
      `Temporal ${temporal}; commit ${commit ?? 'unknown'}; ${JSON.stringify(settings)}`,
    '',
    'Driver, receiver, service and servers share this machine. Latencies count from the intended time of a call.',
  ].join('\n');
}

export function renderFloor({ floors, idleCpuMsPerSecond }: FloorReport): string {
  const table = floors.map(({ name, ms, perSecond, atOnce, cpuMsEach }) => [
    name,
    show(ms?.p50),
    show(ms?.p99),
    show(ms?.max),
    `${show(perSecond)} (${atOnce} at a time)`,
    listFigures(cpuMsEach),
  ]);
  const head = ['floor', 'p50 ms', 'p99 ms', 'max ms', 'a second', 'CPU ms each'];
  const idle = `Idle, CPU ms a second: ${listFigures(idleCpuMsPerSecond)}.`;
  return ['## Floor', '', renderTable([head, ...table]), '', idle].join('\n');
}

/** Returns a table with a row per metric and a column per measurement. */
export function renderScenario(
  name: string,
  { measurements, notes, missed = [] }: ScenarioResult,
): string {
  const head = [name, ...measurements.map((measurement) => measurement.name)];
  const rows = figures
    .map(([title, of]) => [title, ...measurements.map(of)])
    .filter(([, ...cells]) => cells.some((cell) => cell !== none));
  const targets = missed.map((target) => `**Target missed**: ${target}`);
  const lines = [...notes, ...targets].map((note) => `- ${note}`);
  return [`## ${name}`, '', renderTable([head, ...rows]), '', ...lines].join('\n').trimEnd();
}

type Figure = readonly [title: string, of: (measurement: Measurement) => string];

const figures: readonly Figure[] = [
  ['load', ({ load }) => describeLoad(load)],
  ['acknowledged', ({ acknowledged }) => show(acknowledged)],
  ['failed calls', ({ failures }) => listFigures(failures)],
  ['dropped arrivals', ({ dropped }) => show(dropped)],
  ['call to answer, p50 / p99 / max ms', ({ answerMs }) => showLatency(answerMs)],
  ['**change to receipt, p50 / p99 / max ms**', ({ receiptMs }) => showLatency(receiptMs)],
  ['change to receipt, slow webhooks', ({ slowReceiptMs }) => showLatency(slowReceiptMs)],
  ['events/s', ({ eventsPerSecond }) => show(eventsPerSecond)],
  ['deliveries/s', ({ deliveriesPerSecond }) => show(deliveriesPerSecond)],
  ['**lost** (must be 0)', ({ lost }) => show(lost)],
  ['arrived twice', ({ duplicates }) => show(duplicates)],
  ['answered 500', ({ refused }) => show(refused || null)],
  ['backlog growth', ({ backlogGrowth }) => show(backlogGrowth)],
  ['CPU ms/event, service', ({ cpuMsPerEvent }) => show(sumService(cpuMsPerEvent))],
  ['CPU ms/event, each', ({ cpuMsPerEvent }) => listFigures(cpuMsPerEvent)],
  ['memory MB, highest so far', ({ memory }) => listFigures(memory)],
  ['workflows', ({ workflows }) => show(workflows)],
];

function describeLoad(load: Load): string {
  if (load.model === 'open') return `open, ${load.ratePerSecond}/s, ${load.seconds} s`;
  return load.model === 'closed' ? `closed, ${load.callers} callers` : 'one at a time';
}

/** Returns the sum over the service's own processes, or null if one is unknown. */
export function sumService(cpu: Readonly<Record<string, number>>): number | null {
  const costs = serviceGroups.map((group) => cpu[group]);
  if (costs.some((cost) => cost === undefined)) return null;
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

function showLatency(ms: Distribution | null): string {
  return ms === null ? none : `${show(ms.p50)} / ${show(ms.p99)} / ${show(ms.max)}`;
}

export function show(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return none;
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 1 });
}

function listFigures(values: Readonly<Record<string, number>>): string {
  const entries = Object.entries(values).map(([name, value]) => `${name} ${show(value)}`);
  return entries.length === 0 ? none : entries.join(', ');
}

export function renderTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].map(line).join('\n');
}
