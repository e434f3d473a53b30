// A scrape of the running service: its counts match what happened. And what a worker reads from the whole installation,
// with deliveries that wait for longer than they should.
import { connect } from 'node:net';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { type Metrics, type Page, startMetrics } from '../../support/metrics.ts';
import { closedPort, type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { watchServers } from '../../../lib/health/watch-servers.ts';
import { connectStore } from '../../../lib/mongo/connect.ts';
import { connectTemporal, type Temporal } from '../../../worker/connect-temporal.ts';
import { watchBacklog } from '../../../worker/watch-backlog.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { newReplayJob } from '../../support/jobs.ts';
import { startMongodbProxy } from '../../support/server-proxy.ts';
import { countOverdue } from '../../../lib/history/overdue-deliveries.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';

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

const now = new Date();
let passedMs = 0;
const clock = { now: () => new Date(now.getTime() + passedMs) };
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);

let installation: Installation;
let temporal: Temporal;

beforeAll(async () => {
  installation = await createInstallation();
  temporal = await connectTemporal(installation.config.temporal);
});

afterAll(async () => {
  await temporal?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

async function writeBacklog(): Promise<void> {
  const { store, app } = installation;
  const delivery = (state: 'pending' | 'retrying' | 'held' | 'delivered', at: Date) =>
    newDelivery(installation, at, { state });
  await store.deliveries.insertMany([
    delivery('pending', ago(10)),
    delivery('retrying', ago(900)),
    delivery('retrying', ago(300)),
    delivery('held', ago(7_200)),
    delivery('delivered', ago(9_000)),
  ]);
  await store.events.insertMany([
    newEvent(installation, [], ago(40)),
    { ...newEvent(installation, [], ago(50)), workflowId: 'batch/bat_1' },
    { ...newEvent(installation, [], ago(60)), workflowId: 'agent.updated/evt_1' },
    { ...newEvent(installation, [], ago(5_000)), dispatchedAt: ago(4_999) },
  ]);
  const { appUid } = app;
  const replay = { appUid, webhookUid: 'whk_1', createdAt: ago(120) };
  await store.jobs.insertMany([
    newReplayJob(replay),
    { ...newReplayJob({ ...replay, createdAt: ago(8_000) }), state: 'done' },
  ]);
  const { _id } = await insertWebhook(installation, { url: 'https://a.example/' });
  await store.webhooks.updateOne({ _id }, { $set: { tls: { notAfter: ago(-3_600) } } as object });
}

test('the backlog, its ages, the jobs and upcoming expiries are shown, and zeros if there are none', async () => {
  await writeBacklog();
  const stopping = new AbortController();
  const { store, config } = installation;
  const { connection } = temporal;
  const { namespace } = config.temporal;
  const ports = { store, connection, namespace, clock };
  const watching = watchBacklog(ports, { signal: stopping.signal, everyMs: 50 });
  const page = await waitFor(async () => {
    const read = await metrics.read();
    const isRead = ['herald_backlog_deliveries', 'herald_task_queue_size'];
    return isRead.every((name) => read.seriesOf(name).length > 0) && read;
  });
  const values = (name: string, label: string): Record<string, number | undefined> =>
    Object.fromEntries(page.seriesOf(name).map(({ labels, value }) => [labels[label], value]));
  expect(values('herald_backlog_deliveries', 'state')).toEqual({
    pending: 1,
    retrying: 2,
    held: 1,
  });
  const ages = { pending: 10, retrying: 900, held: 7_200 };
  expect(values('herald_backlog_oldest_age_seconds', 'state')).toEqual(ages);
  expect(page.value('herald_backlog_overdue')).toBe(0);
  expect(page.value('herald_backlog_undispatched')).toBe(3);
  expect(page.value('herald_backlog_undispatched_oldest_age_seconds')).toBe(60);
  const kinds = { release: 0, resend: 0, replay: 1, sync: 0, erasure: 0 };
  expect(values('herald_jobs_running', 'kind')).toEqual(kinds);
  expect(values('herald_jobs_oldest_age_seconds', 'kind')).toEqual({ ...kinds, replay: 120 });
  const expiring = { api_key: 0, client_certificate: 1 };
  expect(values('herald_credentials_expiring', 'kind')).toEqual(expiring);
  const names = ['herald-events', 'herald-deliveries', 'herald-retries', 'herald-order'];
  const queues = Object.fromEntries(names.map((name) => [name, 0]));
  expect(values('herald_task_queue_size', 'queue')).toEqual(queues);
  expect(values('herald_task_queue_age_seconds', 'queue')).toEqual(queues);
  stopping.abort();
  await watching;
});

test('an unavailable server is 0, and 1 again when it is back', async () => {
  await using proxy = await startMongodbProxy();
  const { config } = installation;
  const settings = { ...config.mongodb, uri: proxy.uri };
  await using store = await connectStore(settings);
  const stopping = new AbortController();
  const { connection } = temporal;
  const { namespace } = config.temporal;
  const servers = { store, connection, namespace };
  const watching = watchServers(servers, { signal: stopping.signal, everyMs: 50 });
  const up = (page: Page, dependency: string): number =>
    page.value('herald_dependency_up', { dependency });
  const waitForMongodb = (value: number): Promise<Page> =>
    waitFor(async () => {
      const page = await metrics.read();
      const isShown = page.seriesOf('herald_dependency_up').length === 2;
      return isShown && up(page, 'mongodb') === value && page;
    });
  expect(up(await waitForMongodb(1), 'temporal')).toBe(1);
  proxy.refuse(true);
  expect(up(await waitForMongodb(0), 'temporal')).toBe(1);
  proxy.refuse(false);
  await waitForMongodb(1);
  stopping.abort();
  await watching;
});

test('values that could not be read for a minute are not a number', async () => {
  const { config } = installation;
  await using proxy = await startMongodbProxy();
  await using store = await connectStore({ ...config.mongodb, uri: proxy.uri });
  const stopping = new AbortController();
  const { connection } = temporal;
  const ports = { store, connection, namespace: config.temporal.namespace, clock };
  const watching = watchBacklog(ports, { signal: stopping.signal, everyMs: 50 });
  // The last test that reads the page, because its parser does not accept NaN, which Prometheus does.
  const pending = async (): Promise<string | undefined> => {
    const page = await (await fetch(metrics.url)).text();
    return /^herald_backlog_deliveries\{state="pending"\} (\S+)$/m.exec(page)?.[1];
  };
  // The SDK keeps showing the values of an earlier test.
  await installation.store.deliveries.insertMany([
    newDelivery(installation, now, { state: 'pending' }),
    newDelivery(installation, now, { state: 'pending' }),
  ]);
  await waitFor(async () => Number(await pending()) >= 2);
  proxy.refuse(true);
  await waitFor(async () => {
    passedMs += 60_001;
    return (await pending()) === 'NaN';
  });
  stopping.abort();
  proxy.refuse(false);
  await watching;
  passedMs = 0;
});

const retrying = { state: 'retrying', nextAttemptAt: ago(60.001) } as const;

test.each<[string, Partial<DeliveryDocument>, Partial<StoredWebhook>, number]>([
  ['a retry that is overdue by more than a minute', retrying, {}, 1],
  ['a retry of a minute ago', { ...retrying, nextAttemptAt: ago(60) }, {}, 0],
  ['an overdue rate-limit slot', { ...retrying, state: 'pending', isRateLimited: true }, {}, 1],
  ['a delivery without a time', { state: 'pending', nextAttemptAt: null }, {}, 0],
  ['an overdue retry of a failing webhook', retrying, { failingSince: ago(0.001) }, 0],
  ['an overdue retry of a paused webhook', retrying, { active: false }, 0],
])('%s is counted as overdue or not', async (...row) => {
  const [, delivery, webhook, count] = row;
  const { store } = installation;
  await store.deliveries.deleteMany({});
  const url = 'https://receiver.example/';
  const { _id: webhookUid } = await insertWebhook(installation, { url, ...webhook });
  const created = newDelivery(installation, ago(3_600), { webhookUid, ...delivery });
  await store.deliveries.insertOne(created);
  expect(await countOverdue(store, now)).toBe(count);
});

test('of a webhook that was deleted nothing is counted', async () => {
  const { store } = installation;
  await store.deliveries.deleteMany({});
  const deleted = newDelivery(installation, ago(3_600), retrying);
  await store.deliveries.insertOne(deleted);
  expect(await countOverdue(store, now)).toBe(0);
});
