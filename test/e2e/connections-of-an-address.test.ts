// The share of one address in the connections, over real sockets from several.
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

/** Tells whether a connection answers, or is closed; one that answers is kept open. */
function answers(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  });
}

function openFrom(localAddress: string): Socket {
  const socket = connect({ port: api.port, host: '127.0.0.1', localAddress });
  // What was written to a connection that is closed at once comes back as a reset.
  socket.on('error', () => undefined);
  open.add(socket);
  return socket;
}

const isTaken = (localAddress: string): Promise<boolean> => answers(openFrom(localAddress));

/** Opens as many connections as one address may hold. */
async function holdShare(localAddress: string): Promise<Socket[]> {
  const held = Array.from({ length: share }, () => openFrom(localAddress));
  expect(await Promise.all(held.map(answers))).toEqual(held.map(() => true));
  return held;
}

const refusals = () => api.lines.filter((line) => line.msg === 'connections.refused');

test('an address that has its share gets no more, and keeps no other address out', async () => {
  const held = await holdShare(one);
  expect(refusals()).toEqual([]);
  expect(await isTaken(one)).toBe(false);
  expect(await isTaken(one)).toBe(false);
  expect(await isTaken(other)).toBe(true);
  expect(await Promise.all(held.map(answers))).toEqual(held.map(() => true));

  // Once a minute: the second refusal adds no line.
  const line = { level: 'warn', refused: 1, remoteAddress: one, connectionsPerAddressMax: share };
  await waitFor(() => refusals().length > 0, { what: 'the log line' });
  expect(refusals()).toEqual([expect.objectContaining(line)]);
});

test('a connection that ends makes room for one more, whichever side ends it', async () => {
  const [mine, theirs] = await holdShare(third);
  expect(await isTaken(third)).toBe(false);
  mine?.destroy();
  await waitFor(() => isTaken(third), { what: 'room after the client closed' });
  expect(await isTaken(third)).toBe(false);
  theirs?.write('this is no request\r\n\r\n');
  await waitFor(() => isTaken(third), { what: 'room after the server closed' });
  expect(await isTaken(third)).toBe(false);
});
