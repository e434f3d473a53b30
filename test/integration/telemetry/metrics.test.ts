// A scrape of the running service: its counts match what happened, and its labels have few values.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { type Metrics, type Page, startMetrics } from '../../support/metrics.ts';
import { closedPort, type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';

const changes = 5;
const attemptsName = 'herald_delivery_attempts_total';
const requestsName = 'http_server_request_duration_seconds';

let metrics: Metrics;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  metrics = await startMetrics();
  // Long waits, so that each delivery has one attempt.
  service = await startService({ env: { HERALD_RETRY_SCHEDULE: '1h' } });
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(path === '/fails' ? 500 : 200).end();
  });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await metrics?.[Symbol.asyncDispose]();
});

async function waitForAttempts(count: number, before: Page): Promise<Page> {
  return waitFor(async () => {
    const page = await metrics.read();
    return page.value(attemptsName) - before.value(attemptsName) >= count && page;
  });
}

test('changes with known outcomes are counted, each once', async () => {
  await registerWebhook(service, { url: `${receiver.url}/works` });
  await registerWebhook(service, { url: `${receiver.url}/fails` });
  await registerWebhook(service, { url: `http://127.0.0.1:${await closedPort()}/` });
  // The API would reject this address.
  await insertWebhook(service, { url: 'http://10.0.0.1/' });
  const before = await metrics.read();
  for (let n = 0; n < changes; n += 1) await reportChange(service, { uid: `agt_${n}` });
  const after = await waitForAttempts(4 * changes, before);
  const gained = (name: string, labels = {}): number =>
    after.value(name, labels) - before.value(name, labels);
  expect(gained('herald_events_recorded_total', { event: 'agent.updated' })).toBe(changes);
  const outcomes = [
    { state: 'delivered' },
    { state: 'retrying', error_type: 'status' },
    { state: 'retrying', error_type: 'connect' },
    { state: 'blocked', error_type: 'blocked' },
  ];
  for (const labels of outcomes) {
    expect({ labels, count: gained(attemptsName, { attempt: '1', ...labels }) }).toEqual({
      labels,
      count: changes,
    });
  }
  expect(gained(attemptsName)).toBe(4 * changes);
  expect(gained('herald_delivery_attempt_duration_seconds')).toBe(4 * changes);
  expect(gained('herald_delivery_change_to_receipt_duration_seconds')).toBe(changes);
  expect(gained('herald_delivery_queue_duration_seconds', { attempt: '1' })).toBe(4 * changes);
  const reports = {
    http_route: '/api/v1/appuid/:appUid/changes',
    http_response_status_code: '202',
  };
  expect(gained(requestsName, reports)).toBe(changes);
  expect(
    gained('db_client_operation_duration_seconds', { db_operation_name: 'insert' }),
  ).toBeGreaterThan(0);
  const startedName = 'herald_events_started_total';
  const started = async (): Promise<number> =>
    (await metrics.read()).value(startedName) - before.value(startedName);
  await waitFor(async () => (await started()) === changes, {
    what: 'each event counted as started, once',
    state: started,
  });
});

test('each metric on the page is in the table, or from a library that docs/metrics.md names', async () => {
  const known = new Set(
    Object.values(instruments).map(({ facts }) => facts.name.replaceAll('.', '_')),
  );
  const { names } = await metrics.read();
  const unknown = names.filter((name) => {
    const plain = name.replace(/_total$/, '').replace(/_seconds$/, '');
    return !known.has(plain) && !/^(?:nodejs|v8js|temporal|process)_|^target_info$/.test(name);
  });
  expect(unknown).toEqual([]);
  expect(names.filter((name) => name.startsWith('herald_')).length).toBeGreaterThan(10);
});

test('unknown paths and methods share their series', async () => {
  await service.raw('GET', '/nothing/0');
  await rawRequest('PROPFIND', '/nothing');
  const before = await metrics.read();
  for (const n of [1, 2, 3]) {
    await service.raw('GET', `/nothing/${n}?q=${n}`);
    await service.raw('GET', `/api/v1/appuid/app_${n}/no-such-list`);
    await service.call('GET', `/agents/agt_${n}`);
  }
  for (const method of ['MKCOL', 'LOCK', 'PURGE']) await rawRequest(method, '/nothing');
  const after = await metrics.read();
  const series = after.seriesOf(requestsName);
  // The series of an unknown agent.
  expect(series.length - before.seriesOf(requestsName).length).toBe(1);
  const other = series.filter(({ labels }) => labels['http_request_method'] === '_OTHER');
  expect(other).toHaveLength(1);
  expect(other[0]?.count).toBe(4);
  expect(other[0]?.labels).not.toHaveProperty('http_route');
  for (const { labels } of series)
    expect(labels['http_route'] ?? '').not.toMatch(/agt_|app_|nothing/);
});

async function rawRequest(method: string, path: string): Promise<void> {
  const { hostname, port } = new URL(service.apiUrl);
  const socket = connect(Number(port), hostname);
  socket.end(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 [45]/);
}
