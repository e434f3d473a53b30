// Overload: requests beyond the capacity are rejected immediately, and the others succeed. Slow servers: a probe reports them, a
// start waits for them.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { Load, type Visit } from '../../api/access/load.ts';
import { strangers } from '../../api/access/party.ts';
import type { Party } from '../../lib/concurrency/group-limit.ts';
import { checkServers, createReadinessCheck } from '../../lib/health/readiness.ts';
import { addApp } from '../support/add-app.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectProblem } from '../integration/api/problems.ts';
import { exchangeRaw } from '../integration/api/raw-socket.ts';

const signIn = (service: TestService, externalId: string) =>
  service.call('POST', '/sdkusers/auth', { body: { externalId } });

const mib = 1024 * 1024;

const keyOf = (appUid: string): Party => ({ group: appUid, member: null });

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

test('concurrent readiness requests share one check of the servers', async () => {
  await using service = await startService({ worker: false });
  const { connection, namespace } = service.temporal;
  const asks = jest.spyOn(connection, 'withDeadline');
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

/** The same connection, with a delay of 3 s for one call of every check. */
function slowed(connection: ConnectionLike): ConnectionLike {
  const { workflowService } = connection;
  const slow = Object.create(workflowService, {
    describeNamespace: {
      value: async (request: { namespace: string }) => {
        await delay(3_000);
        return workflowService.describeNamespace(request);
      },
    },
  }) as typeof workflowService;
  return Object.create(connection, { workflowService: { value: slow } }) as ConnectionLike;
}

test('a probe waits at most 5 s for Temporal, so that it soon notices when Temporal is back', async () => {
  await using service = await startService({ worker: false });
  const { connection, namespace } = service.temporal;
  const askedForMs: number[] = [];
  const withDeadline: ConnectionLike['withDeadline'] = (deadline, ask) => {
    askedForMs.push(Number(deadline) - Date.now());
    return connection.withDeadline(deadline, ask);
  };
  const watched: ConnectionLike = Object.create(connection, {
    withDeadline: { value: withDeadline },
  });
  const servers = { store: service.store, connection: watched, namespace };
  await createReadinessCheck(servers)();
  expect(askedForMs.map((ms) => Math.ceil(ms / 1_000))).toEqual([5, 5]);
  await checkServers(servers);
  expect(askedForMs.slice(2).map((ms) => Math.ceil(ms / 1_000))).toEqual([15, 15]);
});

test('a server that responds after 3 s fails a probe but passes a start', async () => {
  await using service = await startService({ worker: false });
  const { connection, namespace } = service.temporal;
  const servers = { store: service.store, connection: slowed(connection), namespace };
  const [{ temporal }] = await Promise.all([
    createReadinessCheck(servers)(),
    checkServers(servers),
  ]);
  expect(temporal).toBe('Temporal does not respond within 2000 ms');
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
  const works = visits.map((visit) => visit.handle(keyOf(service.app.appUid), () => ended));
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
      await visit.receive(keyOf(`app-${n}`), async ({ keep }) => keep(32 * mib));
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

/** Receives bodies of one MiB each until one is refused. Returns how many were not. */
async function fill(load: Load, party: Party): Promise<{ count: number } & Disposable> {
  const visits: Visit[] = [];
  try {
    for (;;) {
      const visit = load.enter();
      visits.push(visit);
      await visit.receive(party, async ({ keep }) => keep(mib));
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'overloaded' });
  }
  return {
    count: visits.length - 1,
    [Symbol.dispose]: () => visits.forEach((visit) => visit.leave()),
  };
}

test('bodies can take 256 MiB, of which one application takes three quarters, and one key three quarters of that', async () => {
  await using load = new Load(1_000);
  using first = await fill(load, { group: 'app', member: 'key-1' });
  expect(first.count).toBe(144);
  {
    using second = await fill(load, { group: 'app', member: 'key-2' });
    expect(second.count).toBe(48);
    // Others have room, so the process is not overloaded.
    expect(load.overload()).toBeNull();
    using other = await fill(load, { group: 'other', member: 'key-3' });
    expect(other.count).toBe(64);
    expect(load.overload()).toMatch('overloaded');
  }
  using third = await fill(load, { group: 'app', member: 'key-3' });
  expect(third.count).toBe(48);
});

test('unfinished bodies with ten keys of one application keep no call of another one from being accepted', async () => {
  await using service = await startService({ worker: false });
  const other = await addApp(service);
  const keys = Array.from({ length: 10 }, (_, n) => `key-${n}`);
  const unfinished: Disposable[] = [];
  for (const member of keys) {
    const group = service.app.appUid;
    unfinished.push(await fill(service.context.load, { group, member }));
  }
  const data = { uid: 'u', externalTenantId: 't', text: 'x'.repeat(200_000) };
  const body = { event: 'agent.updated', data };
  expectProblem(await service.call('POST', '/changes', { body }), 503, 'overloaded');
  for (let n = 0; n < 20; n += 1) {
    expect((await other.call('POST', '/changes', { body })).status).toBe(202);
  }
  for (const each of unfinished) each[Symbol.dispose]();
  expect((await service.call('POST', '/changes', { body })).status).toBe(202);
});

test('large bodies are parsed one in each round of the event loop, applications in turn', async () => {
  await using load = new Load(100);
  const order: string[] = [];
  let isOver = false;
  const countRounds = (): void => {
    order.push('round');
    if (!isOver) setImmediate(countRounds);
  };
  setImmediate(countRounds);
  const parse = (group: string): Promise<unknown> =>
    load.enter().receive({ group, member: 'key' }, ({ inTurn }) => inTurn(() => order.push(group)));
  await Promise.all([...Array.from({ length: 5 }, () => parse('a')), parse('b'), parse('c')]);
  isOver = true;
  const parsed = order.filter((each) => each !== 'round');
  expect(parsed.slice(0, 4).toSorted()).toEqual(['a', 'a', 'b', 'c']);
  expect(order.join(' ')).not.toMatch(/[abc] [abc]/);
});

test('however many addresses send bodies without a credential, keys have as much room', async () => {
  await using load = new Load(1_000);
  using one = await fill(load, { group: strangers, member: '6|1' });
  expect(one.count).toBe(12);
  using two = await fill(load, { group: strangers, member: '6|2' });
  expect(two.count).toBe(4);
  const small = load.enter();
  await small.receive({ group: strangers, member: '6|3' }, async ({ keep }) => keep(4 * 1024));
  small.leave();
  using key = await fill(load, { group: 'app', member: 'key' });
  expect(key.count).toBe(144);
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
