// Connections with real sockets: the limit per client address, a thousand that wait for a busy process, and deliberately slow
// clients, which are disconnected in time and do not delay other requests.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const share = 3;
const [one, other, third] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;

let installation: Installation;
let api: RoleProcess;
const open = new Set<Socket>();

beforeAll(async () => {
  installation = await createInstallation({ HERALD_CONNECTIONS_PER_ADDRESS: String(share) });
  api = await startRole('api', installation.env);
});

afterAll(async () => {
  for (const socket of open) socket.destroy();
  await api?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

/** Checks whether the server responds on a connection, which then stays open, or closes it. */
function answers(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  });
}

function openFrom(localAddress: string): Socket {
  const socket = connect({ port: api.port, host: '127.0.0.1', localAddress });
  // A write to a connection that the server closes immediately ends in a reset.
  socket.on('error', () => undefined);
  open.add(socket);
  return socket;
}

const isAccepted = (localAddress: string): Promise<boolean> => answers(openFrom(localAddress));

/** Opens as many connections as one address may hold. */
async function holdShare(localAddress: string): Promise<Socket[]> {
  const held = Array.from({ length: share }, () => openFrom(localAddress));
  expect(await Promise.all(held.map(answers))).toEqual(held.map(() => true));
  return held;
}

const refusals = () => api.lines.filter((line) => line.msg === 'connections.refused');

test('an address at its limit gets no more connections, while other addresses do', async () => {
  const held = await holdShare(one);
  expect(refusals()).toEqual([]);
  expect(await isAccepted(one)).toBe(false);
  expect(await isAccepted(one)).toBe(false);
  expect(await isAccepted(other)).toBe(true);
  expect(await Promise.all(held.map(answers))).toEqual(held.map(() => true));

  // Logged once per minute: the second refusal adds no line.
  const line = { level: 'warn', refused: 1, remoteAddress: one, connectionsPerAddressMax: share };
  await waitFor(() => refusals().length > 0, { what: 'the log line' });
  expect(refusals()).toEqual([expect.objectContaining(line)]);
});

test('an address at its limit can connect again once the client or the server closes a connection', async () => {
  const [mine, theirs] = await holdShare(third);
  expect(await isAccepted(third)).toBe(false);
  mine?.destroy();
  await waitFor(() => isAccepted(third), { what: 'room after the client closed' });
  expect(await isAccepted(third)).toBe(false);
  theirs?.write('this is no request\r\n\r\n');
  await waitFor(() => isAccepted(third), { what: 'room after the server closed' });
  expect(await isAccepted(third)).toBe(false);
});

test('a thousand connections can wait for a busy process, and each gets a response', async () => {
  await using unlimited = await createInstallation();
  await using api = await startRole('api', unlimited.env);
  // The kernel queues connections that have not been accepted, and drops some beyond its backlog.
  process.kill(api.pid, 'SIGSTOP');
  const sockets = Array.from({ length: 1_000 }, () => connect(api.port, '127.0.0.1'));
  const answers = sockets.map((socket) => once(socket, 'data'));
  try {
    await waitFor(() => sockets.every((socket) => !socket.connecting), {
      what: 'a thousand connections (a listener must be allowed as many: net.core.somaxconn)',
      state: () => sockets.filter((socket) => socket.connecting).length,
    });
    process.kill(api.pid, 'SIGCONT');
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const lines = (await Promise.all(answers)).map(([chunk]) => String(chunk).split('\r\n')[0]);
    expect(new Set(lines)).toEqual(new Set(['HTTP/1.1 200 OK']));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

interface SlowSocket {
  text: string;
  /** Milliseconds from its start to the end of the server's response. */
  ended: Promise<number>;
  /** Resolves when the connection is gone, which only a sent byte can show. */
  closed: Promise<void>;
}

/** Opens a connection, sends `begin`, and then a byte per second for as long as it can. */
async function openSlow(service: TestService, begin: string): Promise<SlowSocket> {
  const startedAt = performance.now();
  const port = Number(new URL(service.apiUrl).port);
  // Like an attacker, it does not close its half when the server does.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const ended = new Promise<number>((resolve) =>
    socket.once('end', () => resolve(performance.now() - startedAt)),
  );
  const slow: SlowSocket = { text: '', ended, closed };
  const drip = setInterval(() => socket.write('x'), 1_000);
  socket.on('data', (chunk: Buffer) => (slow.text += chunk.toString('latin1')));
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearInterval(drip));
  await once(socket, 'connect');
  if (begin !== '') socket.write(begin);
  else clearInterval(drip);
  return slow;
}

const slowOfEach = 50;

const openMany = (service: TestService, begin: string): Promise<SlowSocket[]> =>
  Promise.all(Array.from({ length: slowOfEach }, () => openSlow(service, begin)));

async function goodRequests(service: TestService): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let n = 0; n < 20; n += 1) statuses.add((await service.call('GET', '/agents')).status);
  return statuses;
}

test('slow headers, slow bodies and silence end with 408 while good requests are answered', async () => {
  await using service = await startService({
    worker: false,
    // Far fewer than the slow clients, which must not keep a permit. Four times as many can wait, so none is rejected.
    env: { HERALD_REQUESTS_AT_ONCE: '11' },
  });
  const { appUid, apiKey } = service.app;
  const head = `POST /api/v1/appuid/${appUid}/agents HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
  const body = `${head}content-type: application/json\r\ncontent-length: 9000\r\n\r\n{"agentName":"`;
  const [silent, headers, bodies] = await Promise.all([
    openMany(service, ''),
    openMany(service, `${head}x-more: `),
    openMany(service, body),
  ]);
  const all = [...silent, ...headers, ...bodies];
  // Only after the slow ones have passed the checks before a body, which do take permits.
  await waitFor(async () => isDeepStrictEqual(await goodRequests(service), new Set([200])), {
    timeoutMs: 9_000,
    what: 'twenty answers to good requests',
  });
  const lastOf = async (sockets: SlowSocket[]): Promise<number> =>
    Math.max(...(await Promise.all(sockets.map(({ ended }) => ended))));
  // The limits are 10 s and 15 s, checked five times per second. The rest is for a busy machine.
  expect(await lastOf([...silent, ...headers])).toBeLessThan(30_000);
  expect(await lastOf(bodies)).toBeLessThan(35_000);
  await Promise.all([...headers, ...bodies].map(({ closed }) => closed));
  for (const { text } of all) {
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('content-type: application/problem+json\r\n');
    expect(text).toContain('"code":"request_timeout"');
    expect(text).toMatch(/x-request-id: req_/);
  }
  expect(await goodRequests(service)).toEqual(new Set([200]));
  expect(await service.store.agents.countDocuments()).toBe(0);
});

test('a refused connection is closed although the client keeps its half open', async () => {
  await using service = await startService({ worker: false });
  const slow = await openSlow(service, 'hello\r\n\r\n');
  await slow.closed;
  expect(slow.text).toMatch(/^HTTP\/1\.1 400 /);
});
