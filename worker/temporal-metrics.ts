// Adds the metrics of Temporal's SDK, collected by its native code, to those of the process.
import { type Attributes, type Meter, metrics } from '@opentelemetry/api';
import { type BufferedMetricUpdate, MetricsBuffer } from '@temporalio/worker';

// An event causes about 40 updates, so this holds two seconds at 1,000 events/s; the rest is dropped.
const updatesMax = 100_000;
const drainEveryMs = 500;

type Metric = BufferedMetricUpdate['metric'];
type Record = (value: number, attributes: Attributes) => void;

/** Returns the metrics buffer for the SDK's runtime; its metrics appear in those of the process as `temporal_…`. */
export function bufferTemporalMetrics(): MetricsBuffer {
  const buffer = new MetricsBuffer({ maxBufferSize: updatesMax, useSecondsForDurations: true });
  const records = new Map<string, Record>();
  const meter = metrics.getMeter('temporal');
  const drain = (): void => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates()) {
      let record = records.get(metric.name);
      if (record === undefined) records.set(metric.name, (record = createRecord(meter, metric)));
      record(value, attributes);
    }
  };
  setInterval(drain, drainEveryMs).unref();
  return buffer;
}

// From a call within a data centre to a workflow that waits for retries.
const secondsBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600, 3_600, 86_400];

function createRecord(meter: Meter, { name, kind, unit = '', description = '' }: Metric): Record {
  const options = { unit, description };
  if (kind === 'histogram') {
    const isDuration = unit === 's';
    const advice = isDuration ? { explicitBucketBoundaries: secondsBuckets } : {};
    const histogram = meter.createHistogram(name, { ...options, advice });
    return (value, attributes) => histogram.record(value, attributes);
  }
  if (kind === 'gauge') {
    const gauge = meter.createGauge(name, options);
    return (value, attributes) => gauge.record(value, attributes);
  }
  const counter =
    kind === 'counter'
      ? meter.createCounter(name, options)
      : meter.createUpDownCounter(name, options);
  return (value, attributes) => counter.add(value, attributes);
}
