// Overload: requests beyond the capacity are rejected immediately, and the others succeed.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, vi, test } from 'vitest';
import type { ConnectionLike } from '@temporalio/client';
import { Pool } from 'undici';
import { Load } from '../../api/access/load.ts';
import { createReadinessCheck } from '../../lib/health/readiness.ts';
import { addApp } from '../support/add-app.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectProblem, makeKey, tooSlow } from '../integration/api/problems.ts';
import { exchangeRaw } from '../integration/api/raw-socket.ts';

const signIn = (service: TestService, externalId: string) =>
  service.call('POST', '/sdkusers/auth', { body: { externalId } });

const askReadiness = (service: TestService) => service.raw('GET', '/readyz', { headers: {} });

test('in a flood some requests succeed and the rest get 503 with Retry-After; afterwards the service works as before', async () => {
  await using service = await startService({
    worker: false,
    env: { HERALD_REQUESTS_AT_ONCE: '4' },
  });
  expect((await signIn(service, 'first')).status).toBe(200);
  // Over open connections, because otherwise a slow machine would accept the requests one by one.
  await Promise.all(
    Array.from({ length: 300 }, () => service.raw('GET', '/healthz', { headers: {} })),
  );
  const memoryBefore = process.memoryUsage.rss();
  const padding = 'x'.repeat(100_000);
  const flood = Promise.all(
    Array.from({ length: 1_000 }, (_, n) =>
      n % 10 === 0
        ? service.call('POST', '/changes', { body: { padding } })
        : signIn(service, `user-${n % 7}`),
    ),
  );
  const probe = service.raw('GET', '/healthz', { headers: {} });
  // It is reported without a failing status, because otherwise a balancer would remove all processes during a flood.
  const reported = waitFor(
    async () => {
      const { status, body } = await askReadiness(service);
      return status === 200 && String(body['parts']?.['load']).startsWith('overloaded');
    },
    { what: 'a readiness answer that reports the flood' },
  );
  const [answers] = await Promise.all([flood, reported]);
  expect((await probe).status).toBe(200);
  const refused = answers.filter((answer) => answer.status === 503);
  const admitted = answers.filter((answer) => answer.status !== 503);
  expect(admitted.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status } of admitted) expect([200, 400]).toContain(status);
  for (const answer of refused) {
    expectProblem(answer, 503, 'overloaded');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  // Client and service share a process here, and the client side of a thousand requests takes memory, too.
  expect(process.memoryUsage.rss() - memoryBefore).toBeLessThan(400 * 1024 * 1024);
  const isCalm = async () => (await askReadiness(service)).body['parts']?.['load'] === 'ok';
  await waitFor(isCalm, { what: 'the end of the overload' });
  const later = await Promise.all(Array.from({ length: 10 }, () => signIn(service, 'later')));
  expect(new Set(later.map((answer) => answer.status))).toEqual(new Set([200]));
});

test('with the defaults a thousand concurrent requests on a thousand connections are all accepted', async () => {
  await using service = await startService({ worker: false });
  const sockets = new Pool(service.apiUrl, {
    connections: 1_000,
    pipelining: 1,
    connectTimeout: 60_000,
  });
  const { appUid, apiKey } = service.app;
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      const { statusCode, body } = await sockets.request({
        method: 'POST',
        path: `/api/v1/appuid/${appUid}/sdkusers/auth`,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ externalId: `user-${n}` }),
      });
      return { statusCode, text: await body.text() };
    }),
  );
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  expect(refused.length).toBeLessThan(answers.length);
  // A slow machine may reject some because it is late, but none because of their number.
  for (const { statusCode, text } of refused) {
    expect(statusCode).toBe(503);
    expect(text).toMatch(tooSlow);
  }
  await sockets.close();
});

test('concurrent readiness requests share one check of the servers', async () => {
  await using service = await startService({ worker: false });
  const { connection, namespace } = service.temporal;
  const asks = vi.spyOn(connection, 'withDeadline');
  const inspect = createReadinessCheck({ store: service.store, connection, namespace });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => inspect()));
  expect(asks).toHaveBeenCalledTimes(2);
  expect(new Set(answers.flatMap((answer) => Object.values(answer)))).toEqual(new Set(['ok']));
  await inspect();
  expect(asks).toHaveBeenCalledTimes(4);
});

test('a server that does not respond is checked again only after it has responded', async () => {
  await using service = await startService({ worker: false });
  const { connection, namespace } = service.temporal;
  const answers: ((missing: never[]) => void)[] = [];
  const silent: ConnectionLike = Object.create(connection, {
    withDeadline: { value: () => new Promise((resolve) => answers.push(resolve)) },
  });
  const inspect = createReadinessCheck({ store: service.store, connection: silent, namespace });
  for (let round = 0; round < 2; round += 1) {
    expect(await inspect()).toMatchObject({
      temporal: 'Temporal does not respond within 2000 ms',
      searchAttributes: 'the search attributes cannot be read within 2000 ms',
    });
    expect(answers).toHaveLength(2);
  }
  for (const answer of answers) answer([]);
  await nextTurn();
  const asked = inspect();
  expect(answers).toHaveLength(4);
  for (const answer of answers) answer([]);
  expect(await asked).toMatchObject({ temporal: 'ok', searchAttributes: 'ok' });
});

test('idle connections are closed for new ones at the limit of connections', async () => {
  await using service = await startService({
    worker: false,
    env: { HERALD_CONNECTIONS: '20', HERALD_CONNECTIONS_PER_ADDRESS: '0' },
  });
  const port = Number(new URL(service.apiUrl).port);
  const idle = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const closed = idle.map((socket) => once(socket, 'close'));
  const answered = idle.map((socket) => once(socket, 'data'));
  for (const socket of idle) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await Promise.all(answered);
  const one = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(one, 'close');
  const answer = await waitFor(
    () => service.raw('GET', '/healthz', { headers: {} }).catch(() => undefined),
    { what: 'a connection' },
  );
  expect(answer.status).toBe(200);
  await Promise.all(closed);
});

test('an application that has its share of the requests leaves room for the calls of others', async () => {
  await using service = await startService({
    worker: false,
    env: { HERALD_REQUESTS_AT_ONCE: '4' },
  });
  const other = await addApp(service);
  const { load } = service.context;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  // Three quarters of 4, and of the 16 that can wait.
  const visits = Array.from({ length: 15 }, () => load.enter());
  const works = visits.map((visit) => visit.handle(service.app.appUid, () => ended));
  expectProblem(await signIn(service, 'one'), 503, 'overloaded');
  expect((await other.call('POST', '/sdkusers/auth', { body: { externalId: 'u' } })).status).toBe(
    200,
  );
  end();
  await Promise.all(works);
  for (const visit of visits) visit.leave();
  expect((await signIn(service, 'one')).status).toBe(200);
});

test('a body beyond the limit of bodies gets a 503, and the connection is closed without reading the rest', async () => {
  await using service = await startService({ worker: false });
  const { appUid, apiKey } = service.app;
  const visits = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const visit = service.context.load.enter();
      await visit.receive(`caller-${n}`, async (keep) => keep(32 * 1024 * 1024));
      return visit;
    }),
  );
  const head = `POST /api/v1/appuid/${appUid}/changes HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
  const type = 'content-type: application/json\r\ncontent-length: 100000\r\n\r\n';
  const answer = await exchangeRaw(service.apiUrl, head + type, ' '.repeat(50_000));
  expectProblem(answer, 503, 'overloaded');
  expect(answer.headers.get('connection')).toBe('close');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  for (const visit of visits) visit.leave();
});

const mib = 1024 * 1024;

test('bodies can take 256 MiB in total, and their bytes are released when the request ends', async () => {
  await using load = new Load(10);
  const visits = Array.from({ length: 9 }, () => load.enter());
  const receive = async (n: number, bytes: number): Promise<void> =>
    visits[n]?.receive(`caller-${n}`, async (keep) => keep(bytes));
  for (let n = 0; n < 7; n += 1) await receive(n, 32 * mib);
  await receive(7, 31 * mib);
  await expect(receive(8, 2 * mib)).rejects.toMatchObject({ code: 'overloaded' });
  await receive(8, mib);
  visits[0]?.leave();
  await receive(8, 31 * mib);
  for (const visit of visits.slice(1)) visit.leave();
});

test('the bodies of one caller can take 32 MiB, and beyond that those of others are still received', async () => {
  await using load = new Load(10);
  const [first, second, other] = [load.enter(), load.enter(), load.enter()];
  await first.receive('one', async (keep) => keep(20 * mib));
  await second.receive('one', async (keep) => keep(12 * mib));
  const tooMuch = second.receive('one', async (keep) => keep(1));
  await expect(tooMuch).rejects.toMatchObject({ code: 'overloaded' });
  await other.receive('other', async (keep) => keep(32 * mib));
  expect(load.overload()).toBeNull();
  first.leave();
  await second.receive('one', async (keep) => keep(20 * mib));
  for (const visit of [second, other]) visit.leave();
});

test('slow bodies with one API key leave room to calls with another', async () => {
  await using service = await startService({ worker: false });
  const { appUid, apiKey } = service.app;
  const { port, hostname } = new URL(service.apiUrl);
  const head = `POST /api/v1/appuid/${appUid}/changes HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
  const type = 'content-type: application/json\r\ncontent-length: 262144\r\n\r\n';
  const answers: string[] = [];
  const slow = Array.from({ length: 140 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.on('data', (bytes) => answers.push(bytes.toString('utf8')));
    socket.write(head + type + ' '.repeat(262_000));
    return socket;
  });
  await waitFor(() => answers.length > 0, { what: 'a refused body' });
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
  const headers = { 'x-api-key': await makeKey(service) };
  const body = { event: 'agent.updated', data: { uid: 'u', externalTenantId: 't' } };
  expect((await service.call('POST', '/changes', { headers, body })).status).toBe(202);
  for (const socket of slow) socket.destroy();
});

test('a process whose event loop is late accepts a quarter of its limit until it is no longer late', async () => {
  await using load = new Load(8);
  const visits = [load.enter(), load.enter()];
  const givenUpAtMs = performance.now() + 60_000;
  // Without waits in between, in which timers would be on time.
  while (load.overload() === null && performance.now() < givenUpAtMs) {
    const endMs = performance.now() + 700;
    while (performance.now() < endMs);
    await nextTurn();
  }
  expect(load.overload()).toMatch(/^overloaded: the process is \d+ ms late$/);
  expect(() => load.enter()).toThrow(expect.objectContaining({ code: 'overloaded' }));
  load.enter({ always: true }).leave();
  for (const visit of visits) visit.leave();
  load.enter().leave();
  await waitFor(async () => (load.overload() === null ? true : undefined), {
    what: 'the end of the delay',
  });
});
