import type { Distribution } from './distribution.ts';
import { describeLoad, type Report } from './report.ts';

interface Row {
  label: string;
  ms: Distribution;
  isFloor: boolean;
}

const widthPx = 900;
const labelPx = 330;
const marginPx = 30;
const rowPx = 24;
const headPx = 56;
const footPx = 34;
const colors = {
  floor: '#9aa5b1',
  scenario: '#2f6fde',
  max: '#d64545',
  grid: '#e4e7eb',
  text: '#1f2933',
};

/** Returns an SVG document: a bar from p50 to p99, a mark at the maximum, a logarithmic scale. */
export function drawChart(report: Report): string {
  const rows = rowsOf(report);
  const [lowMs, highMs] = decades(rows);
  const heightPx = headPx + rows.length * rowPx + footPx;
  const toX = (ms: number): number => {
    const share = Math.log10(Math.max(ms, lowMs) / lowMs) / Math.log10(highMs / lowMs);
    return labelPx + share * (widthPx - labelPx - marginPx);
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" ` +
      `viewBox="0 0 ${widthPx} ${heightPx}" font-family="system-ui, sans-serif" font-size="12" fill="${colors.text}">`,
    `<rect width="${widthPx}" height="${heightPx}" fill="#fff"/>`,
    text(14, 22, { content: 'Latency: bar from p50 to p99, mark at the maximum', size: 15 }),
    text(14, 40, { content: subtitle(report) }),
    ...drawGrid([lowMs, highMs], heightPx - footPx, toX),
    ...rows.flatMap((row, index) => drawRow(row, headPx + index * rowPx, toX)),
    '</svg>',
    '',
  ].join('\n');
}

function rowsOf({ floor, scenarios }: Report): Row[] {
  const floors = (floor?.floors ?? []).map(({ name, ms }) => ({ label: name, ms, isFloor: true }));
  const measured = scenarios.flatMap(({ measurements }) =>
    measurements.map(({ name, load, receiptMs, answerMs }) => ({
      label: `${name} (${describeLoad(load)})`,
      ms: receiptMs ?? answerMs,
      isFloor: false,
    })),
  );
  return [...floors, ...measured].filter((row): row is Row => row.ms !== null);
}

function subtitle({ machine }: Report): string {
  const { cores, cpuModel, node, commit, measuredAt } = machine;
  return `${cores} × ${cpuModel}, Node ${node}, commit ${commit ?? 'unknown'}, ${measuredAt.slice(0, 16)}`;
}

// The powers of ten around all values.
function decades(rows: readonly Row[]): [lowMs: number, highMs: number] {
  const lowest = Math.min(1, ...rows.map(({ ms }) => Math.max(0.01, ms.p50)));
  const highest = Math.max(10, ...rows.map(({ ms }) => ms.max));
  return [10 ** Math.floor(Math.log10(lowest)), 10 ** Math.ceil(Math.log10(highest))];
}

function drawGrid(
  [lowMs, highMs]: readonly [number, number],
  bottom: number,
  toX: (ms: number) => number,
): string[] {
  const lines: string[] = [];
  for (let ms = lowMs; ms <= highMs * 1.001; ms *= 10) {
    const x = toX(ms).toFixed(1);
    lines.push(`<path d="M${x} ${headPx - 6}V${bottom}" stroke="${colors.grid}"/>`);
    const content = ms < 1_000 ? `${Number(ms.toPrecision(1))} ms` : `${ms / 1_000} s`;
    lines.push(text(Number(x), bottom + 18, { content, anchor: 'middle' }));
  }
  return lines;
}

function drawRow({ label, ms, isFloor }: Row, top: number, toX: (ms: number) => number): string[] {
  const [from, to, max] = [toX(ms.p50), toX(ms.p99), toX(ms.max)];
  const middle = top + rowPx / 2;
  const color = isFloor ? colors.floor : colors.scenario;
  const width = Math.max(2, to - from).toFixed(1);
  const figures = `${label}: p50 ${ms.p50} ms, p99 ${ms.p99} ms, max ${ms.max} ms`;
  return [
    text(labelPx - 10, middle + 4, { content: label, anchor: 'end' }),
    `<rect x="${from.toFixed(1)}" y="${top + 5}" width="${width}" height="${rowPx - 10}" fill="${color}">` +
      `<title>${escape(figures)}</title></rect>`,
    `<path d="M${max.toFixed(1)} ${top + 4}v${rowPx - 8}" stroke="${colors.max}" stroke-width="2"/>`,
  ];
}

function text(
  x: number,
  y: number,
  { content, anchor = 'start', size = 12 }: { content: string; anchor?: string; size?: number },
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}">${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
