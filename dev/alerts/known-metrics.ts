// The metrics that dashboards and alerts can use, with their labels, by their names in Prometheus.
import { instruments } from '../../lib/telemetry/instruments.ts';

const units: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };
const ofTargets = ['job', 'instance'];

/** Metrics of Node's instrumentation, Temporal's SDK and Prometheus, and those that the rules record. */
const others: Readonly<Record<string, readonly string[]>> = {
  up: [],
  target_info: ['service_name'],
  ALERTS: ['alertname', 'alertstate', 'severity'],
  'herald:deliveries_late:ratio_rate5m': [],
  'herald:deliveries_late:ratio_rate30m': [],
  'herald:deliveries_late:ratio_rate1h': [],
  'herald:deliveries_late:ratio_rate6h': [],
  nodejs_eventloop_delay_p50_seconds: [],
  nodejs_eventloop_delay_p99_seconds: [],
  nodejs_eventloop_utilization: [],
  v8js_memory_heap_used_bytes: ['v8js_heap_space_name'],
  v8js_gc_duration_seconds_sum: ['v8js_gc_type'],
  temporal_request_total: ['operation'],
  temporal_request_failure_total: ['operation', 'status_code'],
  temporal_worker_task_slots_available: ['worker_type', 'task_queue'],
  temporal_worker_task_slots_used: ['worker_type', 'task_queue'],
};

/** Returns the labels of each metric. */
function knownMetrics(): Map<string, readonly string[]> {
  const known = new Map(
    Object.entries(others).map(([name, labels]) => [name, [...ofTargets, ...labels]]),
  );
  for (const { kind, facts } of Object.values(instruments)) {
    const base = plain(facts.name) + (units[facts.unit] ?? '');
    const labels = [...ofTargets, ...Object.keys(facts.attributes).map(plain)];
    if (kind === 'counter') known.set(`${base}_total`, labels);
    if (kind === 'gauge') known.set(base, labels);
    if (kind !== 'histogram') continue;
    known.set(`${base}_bucket`, [...labels, 'le']);
    for (const part of ['sum', 'count']) known.set(`${base}_${part}`, labels);
  }
  return known;
}

function plain(name: string): string {
  return name.replaceAll('.', '_');
}

const groupingPattern = /\b(?:by|on) \([^)]*\)/g;
const wordPattern =
  /\b(?:(?:herald|http|db|nodejs|v8js|temporal)[_:][\w:]+|up|target_info|ALERTS)\b/g;
const selectorPattern = /([\w:]+)\{([^}]*)\}/g;

/** Returns a sentence for each metric or label in an expression that does not exist. */
export function unknownIn(expression: string): string[] {
  const known = knownMetrics();
  const bare = expression.replaceAll(/"[^"]*"/g, '""');
  const words = bare.replaceAll(groupingPattern, '').match(wordPattern);
  const metrics = (words ?? []).filter((name) => !known.has(name));
  const labels = [...bare.matchAll(selectorPattern)].flatMap(([, metric = '', inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)]
      .map(([, label = '']) => label)
      .filter((label) => known.get(metric)?.includes(label) !== true)
      .map((label) => `${metric} has no ${label}`),
  );
  return [...metrics.map((name) => `there is no ${name}`), ...labels];
}
