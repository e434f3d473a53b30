import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';

const suffixes: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** Puts units behind names, as Prometheus does with what it gets by OTLP, so that dashboards fit both. */
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
