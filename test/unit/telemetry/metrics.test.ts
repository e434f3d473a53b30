// Metrics by OTLP and on their page, the instruments, and readings that stop.
import { Disposal } from '../../../lib/platform/disposal.ts';
import { version } from '../../../lib/platform/version.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { startTelemetry, type Telemetry } from '../../../lib/telemetry/start-telemetry.ts';
import { type MetricsCollector, startMetricsCollector } from '../../support/metrics-collector.ts';
import { closedPort } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { once, getEventListeners } from 'node:events';
import { connect } from 'node:net';
import { type MetricsPage, serveMetricsPage } from '../../../lib/telemetry/metrics-page.ts';
import { watch } from '../../../lib/telemetry/watch.ts';
import { stubEnv, unstubEnvs } from '../../support/stub-env.ts';

let open = new Disposal();
afterEach(async () => {
  await open[Symbol.asyncDispose]();
  open = new Disposal();
  unstubEnvs();
});

const settings = { metricsPage: null, otlpMetrics: { exportEveryMs: 100 }, traces: null };

async function push(): Promise<{ collector: MetricsCollector; telemetry: Telemetry }> {
  const collector = open.use(await startMetricsCollector());
  stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=herald');
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
  stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${await closedPort()}`);
  const telemetry = await startTelemetry('worker', settings);
  instruments.eventsRecorded.add(1, { event: 'agent.created' });
  const startedAt = performance.now();
  await telemetry[Symbol.asyncDispose]();
  // The exporter alone tries again for 10 s.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

const host = '127.0.0.1';

async function serve(write: () => Promise<string> = async () => 'up 1\n'): Promise<MetricsPage> {
  return open.use(await serveMetricsPage({ port: 0, host }, write));
}

test.each([
  ['GET', '/metrics', 200],
  ['HEAD', '/metrics', 200],
  ['GET', '/metrics?match=x', 200],
  ['POST', '/metrics', 405],
  ['GET', '/', 404],
  ['GET', '/admin/api/session', 404],
])('%s %s has status %d', async (method, path, status) => {
  const { port } = await serve();
  const answer = await fetch(`http://${host}:${port}${path}`, { method });
  expect(answer.status).toBe(status);
  const isPage = status === 200 && method === 'GET';
  expect(await answer.text()).toBe(isPage ? 'up 1\n' : '');
  if (isPage) expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
});

test('the error for a taken port names the setting', async () => {
  const { port } = await serve();
  await expect(serveMetricsPage({ port, host }, async () => '')).rejects.toThrow(
    `port ${port} is in use; set HERALD_METRICS_PORT to another, or to 0 for any`,
  );
});

test('a page that cannot be rendered is a 500, and the next request tries again', async () => {
  let fails = true;
  const { port } = await serve(() =>
    fails ? Promise.reject(new Error('x')) : Promise.resolve('up 1\n'),
  );
  const url = `http://${host}:${port}/metrics`;
  expect((await fetch(url)).status).toBe(500);
  fails = false;
  expect((await fetch(url)).status).toBe(200);
});

test('concurrent callers share one page', async () => {
  let written = 0;
  let release = (): void => undefined;
  const { port } = await serve(async () => {
    written += 1;
    await new Promise<void>((resolve) => (release = resolve));
    return String(written);
  });
  const reads = Array.from({ length: 5 }, () => fetch(`http://${host}:${port}/metrics`));
  const timer = setInterval(() => release(), 20);
  const pages = await Promise.all((await Promise.all(reads)).map((answer) => answer.text()));
  clearInterval(timer);
  expect(written).toBeLessThan(5);
  expect(new Set(pages).size).toBe(written);
});

test('clients that do not read delay neither others nor the stop', async () => {
  const page = await serveMetricsPage({ port: 0, host }, async () => 'x'.repeat(8 * 1_024 ** 2));
  const slow = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = connect(page.port, host);
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
      return socket;
    }),
  );
  const halfSent = connect(page.port, host);
  halfSent.on('error', () => undefined);
  halfSent.write('GET /metr');
  const startedAt = performance.now();
  const answer = await fetch(`http://${host}:${page.port}/metrics`);
  expect((await answer.text()).length).toBe(8 * 1_024 ** 2);
  await page[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  for (const socket of [...slow, halfSent]) socket.destroy();
});

test('idle connections are closed for new ones at the limit', async () => {
  const { port } = await serve();
  const idle = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const socket = connect(port, host);
      socket.on('error', () => undefined);
      socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
  const closed = Promise.all(idle.map((socket) => once(socket, 'close')));
  const dropped = connect(port, host);
  dropped.on('error', () => undefined);
  await once(dropped, 'close');
  await closed;
  expect((await fetch(`http://${host}:${port}/metrics`)).status).toBe(200);
});

const all = Object.values(instruments);

test.each(all.map((instrument) => [instrument.facts.name, instrument] as const))(
  '%s has a unique name in the style of OpenTelemetry, a unit and no label with many values',
  (name, { facts }) => {
    expect(name).toMatch(/^[a-z]+(?:[._][a-z]+)+$/);
    expect(all.filter((other) => other.facts.name === name)).toHaveLength(1);
    expect(facts.unit).toMatch(/^(?:s|By|1|\{[a-z]+\})$/);
    for (const attribute of Object.keys(facts.attributes)) {
      expect(attribute).not.toMatch(/app|tenant|uid|url|address|host/);
    }
  },
);

test('buckets grow', () => {
  for (const instrument of all) {
    if (instrument.kind !== 'histogram') continue;
    expect(instrument.buckets).toEqual(instrument.buckets.toSorted((a, b) => a - b));
    expect(new Set(instrument.buckets).size).toBe(instrument.buckets.length);
  }
});

test('a stop does not wait for a read in flight', async () => {
  const stopping = new AbortController();
  const watching = watch(() => new Promise<void>(() => undefined), stopping);
  stopping.abort();
  await watching;
});

test('after a stop nothing is read', async () => {
  let readings = 0;
  const read = async (): Promise<void> => {
    readings += 1;
  };
  await watch(read, { signal: AbortSignal.abort() });
  expect(readings).toBe(0);
});

test('many reads leave no listener behind on the signal', async () => {
  const stopping = new AbortController();
  let readings = 0;
  const read = async (): Promise<void> => {
    readings += 1;
    if (readings === 20) stopping.abort();
    // The listener of this read.
    else expect(getEventListeners(stopping.signal, 'abort').length).toBeLessThanOrEqual(1);
  };
  await watch(read, { signal: stopping.signal, everyMs: 1 });
  expect(readings).toBe(20);
});
