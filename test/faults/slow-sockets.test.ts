// Deliberately slow clients are disconnected in time and do not delay other requests.
import { once } from 'node:events';
import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const socketsOfEach = 50;

let service: TestService;

beforeAll(async () => {
  service = await startService({
    worker: false,
    // Far fewer than the slow clients, which must not keep a permit. Four times as many can wait, so none is rejected.
    env: { HERALD_REQUESTS_AT_ONCE: '11' },
  });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

interface SlowSocket {
  text: string;
  /** Milliseconds from its start to the end of the server's response. */
  ended: Promise<number>;
  /** Resolves when the connection is gone, which only a sent byte can show. */
  closed: Promise<void>;
}

/** Opens a connection, sends `begin`, and then a byte per second for as long as it can. */
async function openSlow(begin: string): Promise<SlowSocket> {
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

const openMany = (begin: string): Promise<SlowSocket[]> =>
  Promise.all(Array.from({ length: socketsOfEach }, () => openSlow(begin)));

async function goodRequests(): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let n = 0; n < 20; n += 1) statuses.add((await service.call('GET', '/agents')).status);
  return statuses;
}

test('slow headers, slow bodies and silence end with 408 while good requests are answered', async () => {
  const { appUid, apiKey } = service.app;
  const head = `POST /api/v1/appuid/${appUid}/agents HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
  const body = `${head}content-type: application/json\r\ncontent-length: 9000\r\n\r\n{"agentName":"`;
  const [silent, headers, bodies] = await Promise.all([
    openMany(''),
    openMany(`${head}x-more: `),
    openMany(body),
  ]);
  const all = [...silent, ...headers, ...bodies];
  // Only after the slow ones have passed the checks before a body, which do take permits.
  await waitFor(async () => isDeepStrictEqual(await goodRequests(), new Set([200])), {
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
  expect(await goodRequests()).toEqual(new Set([200]));
  expect(await service.store.agents.countDocuments()).toBe(0);
});

test('a refused connection is closed although the client keeps its half open', async () => {
  const slow = await openSlow('hello\r\n\r\n');
  await slow.closed;
  expect(slow.text).toMatch(/^HTTP\/1\.1 400 /);
});
