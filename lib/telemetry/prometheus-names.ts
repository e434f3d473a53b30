import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';

const suffixes: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** Appends units to names, as Prometheus does for OTLP, so that dashboards work for both. */
export function nameForPrometheus(collected: ResourceMetrics): ResourceMetrics {
  const scopeMetrics = collected.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const { name, unit } = metric.descriptor;
      const suffix = suffixes[unit];
      if (suffix === undefined || name.endsWith(suffix)) return metric;
      return { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${suffix}` } };
    }),
  }));
  return { ...collected, scopeMetrics };
}
