// The metrics page: its responses and its limits.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { type MetricsPage, serveMetricsPage } from '../../../lib/telemetry/metrics-page.ts';

let open = new Disposal();
afterEach(async () => {
  await open[Symbol.asyncDispose]();
  open = new Disposal();
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
  ['DELETE', '/metrics', 405],
  ['GET', '/', 404],
  ['GET', '/metrics/', 404],
  ['GET', '/METRICS', 404],
  ['GET', '/healthz', 404],
  ['POST', '/api/v1/appuid/app_1/agents', 404],
  ['GET', '/admin/api/session', 404],
  ['GET', '/console', 404],
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

test('connections beyond the limit are closed', async () => {
  const { port } = await serve();
  const sockets = await Promise.all(
    Array.from({ length: 33 }, async () => {
      const socket = connect(port, host);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.destroy();
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
