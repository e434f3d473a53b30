// Hostile receivers: every attempt ends in time, with the right class, and releases its connection.
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { EgressPolicy } from '../../lib/egress/egress-policy.ts';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import type { Sender, SendResult } from '../../lib/egress/sender.ts';
import { watchEventLoop } from '../support/event-loop.ts';
import { startReceiver, startTcpReceiver } from '../support/receivers.ts';
import { waitFor } from '../support/wait-for.ts';

const policy: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.1/32'],
  denyCidrs: [],
};

/** The deadline of an attempt is 5 s. */
const attemptMsMax = 5_200;
/** The limit on any machine. */
const heldUpMsMax = 15_000;
const answerStart = 'HTTP/1.1 200 OK\r\n';
const chunkedStart = `${answerStart}Transfer-Encoding: chunked\r\n\r\n`;

/** A behaviour, the class of the failure or the status that counts, what it does on a connection, and its scheme. */
type HostileReceiver = readonly [string, string | number, (socket: Socket) => void, 'https'?];

/** Runs `act` once the request has started to arrive. */
function onRequest(act: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => void socket.once('data', () => act(socket));
}

/** Writes a start and then the same piece repeatedly, as fast as it is read. */
function endless(start: string, piece: string | Buffer): (socket: Socket) => void {
  // In large writes, which keep the sender busy instead of the receiver.
  const copies = Math.ceil(65_536 / piece.length);
  const block = Buffer.concat(Array.from({ length: copies }, () => Buffer.from(piece)));
  return onRequest((socket) => {
    const pump = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', pump);
    socket.write(start);
    pump();
  });
}

/** Writes a start and then one piece every 50 ms. */
function drip(start: string, piece: string): (socket: Socket) => void {
  return onRequest((socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.on('close', () => clearInterval(timer));
  });
}

const gzipBomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));

const bomb = `${answerStart}Content-Encoding: gzip\r\n\r\n`;
const trailers = `${chunkedStart}0\r\n`;
const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const upgrade = 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
const tooShort = `${answerStart}Content-Length: 10\r\n\r\nabc`;
const twoLengths = `${answerStart}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
const isSilent = () => undefined;

const hostileReceivers: readonly HostileReceiver[] = [
  ['stays silent', 'timeout', isSilent],
  ['never reads', 'timeout', (socket) => socket.pause()],
  ['drips its status line', 'reset', drip('HTTP/1.', '1')],
  ['drips headers', 200, drip(answerStart, 'a: b\r\n')],
  ['drips one header', 200, drip(`${answerStart}a: `, 'b')],
  ['drips a body', 200, drip(`${answerStart}Content-Length: 9999\r\n\r\n`, 'x')],
  ['sends endless headers', 200, endless(answerStart, 'x-more: and more\r\n')],
  ['sends one huge header', 200, endless(`${answerStart}x-huge: `, 'h')],
  ['sends an endless body', 200, endless(`${answerStart}\r\n`, 'a')],
  ['sends an endless chunked body', 200, endless(chunkedStart, '1\r\na\r\n')],
  ['sends an endless chunk extension', 200, endless(`${chunkedStart}1`, ';e')],
  ['sends endless trailers', 200, endless(trailers, 'x-more: and more\r\n')],
  ['floods with interim answers', 'too_large', endless('', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['drips interim answers', 'timeout', drip('', hint)],
  ['sends a gzip bomb', 200, endless(bomb, gzipBomb)],
  ['switches protocols', 'reset', endless(upgrade, 'x')],
  ['closes early', 200, onRequest((socket) => socket.end(tooShort))],
  ['closes its half and stays', 'reset', onRequest((socket) => socket.end())],
  ['resets the connection', 'reset', (socket) => socket.resetAndDestroy()],
  ['contradicts itself on the length', 200, onRequest((socket) => socket.write(twoLengths))],
  ['stalls in the TLS handshake', 'timeout', isSilent, 'https'],
  ['sends endless bytes in place of a TLS handshake', 'tls', endless('', 'a'), 'https'],
];

// Larger than the buffers of both kernels, so that a receiver that does not read blocks the sender.
const body = Buffer.alloc(256 * 1024, 0x20);

function outcomeOf(result: SendResult): string | number {
  return result.kind === 'failed' ? result.errorClass : result.status;
}

async function meet(receiver: HostileReceiver, sender: Sender): Promise<SendResult> {
  const [behaviour, , onSocket, scheme = 'http'] = receiver;
  await using server = await startTcpReceiver(onSocket);
  const url = server.url.replace('http:', `${scheme}:`);
  const result = await sender.send({ url, headers: {}, body });
  await waitFor(() => server.sockets.every((socket) => isGone(socket)), {
    what: `the end of the connection to a receiver that ${behaviour}`,
  });
  return result;
}

/** Makes the peer read, because otherwise it would not notice that the connection has ended. */
function isGone(socket: Socket): boolean {
  socket.resume();
  return socket.destroyed || socket.readableEnded;
}

test('concurrent requests to all hostile receivers end within 5.2 s, each with its class', async () => {
  await using sender = createHttpSender({ policy });
  const { result: met, blockedMsMax } = await watchEventLoop(() =>
    Promise.all(
      hostileReceivers.map(async (receiver) => ({
        behaviour: receiver[0],
        result: await meet(receiver, sender),
      })),
    ),
  );
  expect(met.map(({ behaviour, result }) => [behaviour, outcomeOf(result)])).toEqual(
    hostileReceivers.map(([behaviour, expected]) => [behaviour, expected]),
  );
  // Receivers and sender share a process, so the timer of the deadline and the end of the request may be late.
  const limitMs = Math.min(attemptMsMax + 2 * blockedMsMax, heldUpMsMax);
  const slow = met.filter(({ result }) => result.ms.total > limitMs);
  expect(slow).toEqual([]);
});

test('a redirect back to this host counts as a response and is not followed', async () => {
  await using target = await startReceiver((response) => response.end());
  await using receiver = await startReceiver((response, { path }) => {
    const status = Number(path.slice(1));
    response.writeHead(status, { location: `${target.url}/secret` }).end();
  });
  await using sender = createHttpSender({ policy });
  const statuses = [301, 302, 303, 307, 308];
  for (const status of statuses) {
    const result = await sender.send({ url: `${receiver.url}/${status}`, headers: {}, body });
    expect(outcomeOf(result)).toBe(status);
  }
  expect(receiver.requests).toHaveLength(statuses.length);
  expect(target.sockets).toHaveLength(0);
});

test('an unsolicited response is not used for the next request', async () => {
  await using receiver = await startTcpReceiver((socket) => {
    const answer = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;
    socket.on('data', () => socket.write(answer('500 Mine') + answer('200 Smuggled')));
  });
  await using sender = createHttpSender({ policy });
  const request = { url: receiver.url, headers: {}, body: '{}' };
  expect(outcomeOf(await sender.send(request))).toBe(500);
  expect(outcomeOf(await sender.send(request))).toBe(500);
  expect(receiver.sockets).toHaveLength(2);
});
