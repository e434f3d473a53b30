// Connections with real sockets: the limit per client address, and a thousand that wait for a busy process.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
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
