import { parseUrl } from '../egress/parse-url.ts';
import type { SettingReader } from '../platform/setting-reader.ts';
import type { TelemetrySettings } from '../telemetry/start-telemetry.ts';
import { asNumberUpTo, asPort, asShare, asText } from './setting-parsers.ts';

/** Reads the settings that enable telemetry. The exporters read other OTLP settings themselves. */
export function readTelemetry(settings: SettingReader, host: string): TelemetrySettings {
  const port = settings.read<number | null>('HERALD_METRICS_PORT', null, asPort);
  const metricsHost = settings.read('HERALD_METRICS_HOST', host, asText);
  const exportEveryMs = settings.read(
    'OTEL_METRIC_EXPORT_INTERVAL',
    60_000,
    asNumberUpTo(3_600_000, 100),
  );
  const endpoint = settings.read('OTEL_EXPORTER_OTLP_ENDPOINT', '', asEndpoint);
  const own = settings.read('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', endpoint, asEndpoint);
  settings.read('OTEL_EXPORTER_OTLP_PROTOCOL', '', asProtocol);
  const isWanted = settings.read('OTEL_METRICS_EXPORTER', 'otlp', asExporter) === 'otlp';
  return {
    traces: readTraces(settings, endpoint),
    metricsPage: port === null ? null : { port, host: metricsHost },
    otlpMetrics: own === '' || !isWanted ? null : { exportEveryMs },
  };
}

function readTraces(settings: SettingReader, endpoint: string): TelemetrySettings['traces'] {
  const share = settings.read('HERALD_TRACE_SAMPLING', 0, asShare);
  const own = settings.read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', endpoint, asEndpoint);
  if (share === 0) return null;
  if (own === '') {
    settings.faults.push('HERALD_TRACE_SAMPLING: set OTEL_EXPORTER_OTLP_ENDPOINT, too');
  }
  return { share };
}

function asEndpoint(text: string): string {
  if (/^https?:\/\//i.test(text) && parseUrl(text) !== null) return text;
  throw new Error('must be an http or https address');
}

function asProtocol(text: string): string {
  if (text === 'http/protobuf') return text;
  throw new Error(`must be http/protobuf (got "${text}")`);
}

function asExporter(text: string): string {
  if (text === 'otlp' || text === 'none') return text;
  throw new Error(`must be otlp or none (got "${text}")`);
}
