// Metrics by OTLP: the data for a collector, and no harm from an unavailable one.
import { afterEach, expect, test, vi } from 'vitest';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { version } from '../../../lib/platform/version.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { startTelemetry, type Telemetry } from '../../../lib/telemetry/start-telemetry.ts';
import { type MetricsCollector, startMetricsCollector } from '../../support/metrics-collector.ts';
import { closedPort } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

let open = new Disposal();
afterEach(async () => {
  await open[Symbol.asyncDispose]();
  open = new Disposal();
  vi.unstubAllEnvs();
});

const settings = { metricsPage: null, otlpMetrics: { exportEveryMs: 100 }, traces: null };

async function push(): Promise<{ collector: MetricsCollector; telemetry: Telemetry }> {
  const collector = open.use(await startMetricsCollector());
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=herald');
  return { collector, telemetry: await startTelemetry('worker', settings) };
}

test('a collector gets the metrics under their own names, with the attributes of the process', async () => {
  const { collector, telemetry } = await push();
  open.use(telemetry);
  instruments.eventsRecorded.add(3, { event: 'agent.created' });
  instruments.attemptDuration.record(0.2, {});
  const name = 'herald.events.recorded';
  const found = await waitFor(() =>
    collector.pushed.find(({ values }) => values.get(name)?.[0] === 3),
  );
  expect(found.path).toBe('/v1/metrics');
  expect(found.headers).toMatchObject({
    'content-type': 'application/x-protobuf',
    'x-tenant': 'herald',
  });
  expect(found.resource).toMatchObject({
    'service.name': 'agent-herald-worker',
    'service.version': version,
    'service.instance.id': expect.stringMatching(/^prc_/),
  });
  expect(found.values.get('herald.delivery.attempt.duration')).toEqual([1]);
  expect(found.units.get('herald.delivery.attempt.duration')).toBe('s');
  // It needs five readings first.
  const delay = 'nodejs.eventloop.delay.p99';
  await waitFor(() => collector.pushed.find(({ values }) => values.has(delay)));
});

test('OpenTelemetry’s own settings override the attributes of the process', async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'hooks');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  const { collector, telemetry } = await push();
  open.use(telemetry);
  const first = await waitFor(() => collector.pushed[0]);
  expect(first.resource).toMatchObject({
    'service.name': 'hooks',
    'deployment.environment.name': 'test',
  });
});

test('the last counts are sent at the end, and nothing after it', async () => {
  const { collector, telemetry } = await push();
  await waitFor(() => collector.pushed.length > 0);
  instruments.signingKeyFailures.add(7, {});
  await telemetry[Symbol.asyncDispose]();
  const count = collector.pushed.length;
  expect(collector.pushed.at(-1)?.values.get('herald.signing_keys.failures')).toEqual([7]);
  instruments.signingKeyFailures.add(1, {});
  const again = await startTelemetry('worker', settings);
  await again[Symbol.asyncDispose]();
  // It starts at zero: nothing is kept without telemetry.
  expect(collector.pushed.length).toBeGreaterThan(count);
  expect(collector.pushed.at(-1)?.values.get('herald.signing_keys.failures')).toEqual([0]);
});

test('an unavailable collector does not delay the end', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${await closedPort()}`);
  const telemetry = await startTelemetry('worker', settings);
  instruments.eventsRecorded.add(1, { event: 'agent.created' });
  const startedAt = performance.now();
  await telemetry[Symbol.asyncDispose]();
  // The exporter alone tries again for 10 s.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
