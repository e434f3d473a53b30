// Telemetry of a process. Unused parts are not even loaded.
import type { Resource } from '@opentelemetry/resources';
import type { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Disposal } from '../platform/disposal.ts';
import { processLog } from '../platform/logger.ts';
import { newId } from '../platform/ids.ts';
import { version } from '../platform/version.ts';
import { connectInstruments } from './instruments.ts';
import { serveMetricsPage } from './metrics-page.ts';
import { nameForPrometheus } from './prometheus-names.ts';
import type { TraceSettings } from './start-traces.ts';

export type Role = 'api' | 'worker';

export interface TelemetrySettings {
  metricsPage: { port: number; host: string } | null;
  /** Null: no metrics by OTLP; the exporter reads `OTEL_EXPORTER_OTLP_*` itself. */
  otlpMetrics: { exportEveryMs: number } | null;
  traces: TraceSettings | null;
}

export interface Telemetry extends AsyncDisposable {
  metricsPort: number | null;
}

// An unresponsive collector must not delay a stop.
const flushTimeoutMs = 1_000;
// While a collector is unavailable, every batch fails.
const quietMs = 30_000;

/** Checks whether metrics are exported. */
export function hasMetrics({ metricsPage, otlpMetrics }: TelemetrySettings): boolean {
  return metricsPage !== null || otlpMetrics !== null;
}

/** Starts the configured telemetry; throws if the port is taken. Dispose of it last: it sends the remaining data. */
export async function startTelemetry(role: Role, settings: TelemetrySettings): Promise<Telemetry> {
  const { metricsPage, otlpMetrics, traces } = settings;
  if (!hasMetrics(settings) && traces === null) {
    return { metricsPort: null, [Symbol.asyncDispose]: async () => undefined };
  }
  const open = new Disposal();
  const flushes: (() => Promise<void>)[] = [];
  open.defer(async () => {
    await Promise.all(flushes.map((flush) => flush()));
  });
  try {
    await logFaults();
    const resource = await resourceOf(role);
    if (traces !== null) {
      const { startTraces } = await import('./start-traces.ts');
      flushes.push(startTraces(traces, { resource, flushTimeoutMs }));
    }
    const readers = otlpMetrics === null ? [] : [await createOtlpReader(otlpMetrics)];
    const page = metricsPage === null ? null : await createPage();
    if (page !== null) readers.push(page.reader);
    if (readers.length > 0) {
      flushes.push(await startMetrics(open, { resource, readers }));
    }
    const metricsPort =
      page === null || metricsPage === null
        ? null
        : open.use(await serveMetricsPage(metricsPage, page.write)).port;
    return { metricsPort, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function startMetrics(
  open: Disposal,
  { resource, readers }: { resource: Resource; readers: MetricReader[] },
): Promise<() => Promise<void>> {
  const [{ metrics }, { MeterProvider }, { RuntimeNodeInstrumentation }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/instrumentation-runtime-node'),
  ]);
  const provider = new MeterProvider({ resource, readers });
  metrics.setGlobalMeterProvider(provider);
  open.defer(async () => metrics.disable());
  connectInstruments(provider.getMeter('agent-herald', version));
  open.defer(async () => connectInstruments(null));
  const runtime = new RuntimeNodeInstrumentation();
  runtime.setMeterProvider(provider);
  open.defer(async () => runtime.disable());
  return () => shutDown(provider);
}

async function shutDown(provider: MeterProvider): Promise<void> {
  await provider.shutdown({ timeoutMillis: flushTimeoutMs }).catch((error: unknown) => {
    processLog.warn({ err: error }, 'telemetry.not_flushed');
  });
}

async function createPage(): Promise<{ reader: MetricReader; write: () => Promise<string> }> {
  const { PrometheusExporter, PrometheusSerializer } =
    await import('@opentelemetry/exporter-prometheus');
  // The exporter's own server has no limits and would not serve the renamed metrics.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    reader,
    write: async () => {
      const { resourceMetrics, errors } = await reader.collect();
      for (const error of errors) processLog.warn({ err: error }, 'telemetry.not_collected');
      return serializer.serialize(nameForPrometheus(resourceMetrics));
    },
  };
}

async function createOtlpReader({
  exportEveryMs,
}: {
  exportEveryMs: number;
}): Promise<MetricReader> {
  const [{ OTLPMetricExporter }, { PeriodicExportingMetricReader }] = await Promise.all([
    import('@opentelemetry/exporter-metrics-otlp-proto'),
    import('@opentelemetry/sdk-metrics'),
  ]);
  return new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: exportEveryMs,
    exportTimeoutMillis: Math.min(exportEveryMs, 30_000),
  });
}

/** `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` override the defaults. */
async function resourceOf(role: Role): Promise<Resource> {
  const { detectResources, envDetector, resourceFromAttributes } =
    await import('@opentelemetry/resources');
  const own = resourceFromAttributes({
    'service.name': `agent-herald-${role}`,
    'service.version': version,
    'service.instance.id': newId('prc'),
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

async function logFaults(): Promise<void> {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  let quietUntilMs = 0;
  let unlogged = 0;
  const warn = (message: string, ...details: unknown[]): void => {
    unlogged += 1;
    if (performance.now() < quietUntilMs) return;
    const [detail] = details;
    const fields = { message, detail: detail instanceof Error ? detail.message : detail };
    processLog.warn({ ...fields, count: unlogged }, 'telemetry.sdk');
    quietUntilMs = performance.now() + quietMs;
    unlogged = 0;
  };
  const ignore = (): void => undefined;
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
