// The metrics of this process, read from its page.
import { Disposal } from '../../lib/platform/disposal.ts';
import { startTelemetry, type TelemetrySettings } from '../../lib/telemetry/start-telemetry.ts';

type Labels = Readonly<Record<string, string>>;

interface Series {
  labels: Labels;
  value?: number;
  count?: number;
}

export interface Page {
  /** As they appear on the page. */
  names: readonly string[];
  seriesOf(name: string): readonly Series[];
  /** The sum over the series with these labels: of values, or of the counts of a histogram. 0 if there are none. */
  value(name: string, labels?: Labels): number;
}

export interface Metrics extends AsyncDisposable {
  url: string;
  read(): Promise<Page>;
}

/** Starts the telemetry of this process, with a page on any free port. */
export async function startMetrics(settings: Partial<TelemetrySettings> = {}): Promise<Metrics> {
  const open = new Disposal();
  const telemetry = open.use(
    await startTelemetry('api', {
      metricsPage: { port: 0, host: '127.0.0.1' },
      otlpMetrics: null,
      traces: null,
      ...settings,
    }),
  );
  const url = `http://127.0.0.1:${telemetry.metricsPort}/metrics`;
  return {
    url,
    read: () => readPage(url),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

/** Reads and parses a page. */
async function readPage(url: string): Promise<Page> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const families = parsePage(await answer.text());
  const seriesOf = (name: string): Series[] => families.get(name) ?? [];
  const names = [...families.keys()];
  return {
    names,
    seriesOf,
    value: (name, labels = {}) =>
      seriesOf(name)
        .filter((series) => hasLabels(series.labels, labels))
        .reduce((sum, { value, count }) => sum + (value ?? count ?? 0), 0),
  };
}

// Parses the text format of Prometheus as the exporter writes it. Of a histogram, only the counts are kept.
function parsePage(text: string): Map<string, Series[]> {
  const families = new Map<string, Series[]>();
  const histograms = new Set<string>();
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (declared !== undefined) families.set(declared, []);
    if (declared !== undefined && type === 'histogram') histograms.add(declared);
    if (line === '' || line.startsWith('#')) continue;
    const sample = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line);
    if (sample === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels = '', value] = sample;
    const histogram = name.replace(/_(?:bucket|sum|count)$/, '');
    if (!histograms.has(histogram)) {
      families.get(name)?.push({ labels: parseLabels(labels), value: Number(value) });
    } else if (name.endsWith('_count')) {
      families.get(histogram)?.push({ labels: parseLabels(labels), count: Number(value) });
    }
  }
  return families;
}

function parseLabels(text: string): Labels {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const unescape = (value: string): string =>
    value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescape(value)]));
}

function hasLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
