import type { TelemetrySettings } from '../telemetry/start-telemetry.ts';
import type { SettingReader } from './setting-reader.ts';

/** Reads the settings that enable telemetry. The exporters read other OTLP settings themselves. */
export function readTelemetry(settings: SettingReader, host: string): TelemetrySettings {
  const port = settings.read('HERALD_METRICS_PORT');
  const metricsHost = settings.read('HERALD_METRICS_HOST') ?? host;
  const exportEveryMs = settings.read('OTEL_METRIC_EXPORT_INTERVAL');
  const endpoint = settings.read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const own = settings.read('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT') ?? endpoint;
  settings.read('OTEL_EXPORTER_OTLP_PROTOCOL');
  const isWanted = settings.read('OTEL_METRICS_EXPORTER') === 'otlp';
  return {
    traces: readTraces(settings, endpoint),
    metricsPage: port === null ? null : { port, host: metricsHost },
    otlpMetrics: own === null || !isWanted ? null : { exportEveryMs },
  };
}

function readTraces(settings: SettingReader, endpoint: string | null): TelemetrySettings['traces'] {
  const share = settings.read('HERALD_TRACE_SAMPLING');
  const own = settings.read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? endpoint;
  if (share === 0) return null;
  if (own === null) {
    settings.faults.push('HERALD_TRACE_SAMPLING: set OTEL_EXPORTER_OTLP_ENDPOINT, too');
  }
  return { share };
}
