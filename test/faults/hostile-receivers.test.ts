// Hostile receivers: every attempt ends in time, with the right class, and releases its connection.
import { expect, test } from 'vitest';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { EgressPolicy } from '../../lib/egress/egress-policy.ts';
import { createHttpSender, type Sender, type SendResult } from '../../lib/egress/http-sender.ts';
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

interface HostileReceiver {
  readonly behaviour: string;
  readonly scheme?: 'https';
  /** Its behaviour on a connection. `onRequest` waits for the first bytes of the request. */
  readonly onSocket: (socket: Socket) => void;
  /** The class of the failure, or the status that counts. */
  readonly expected: string | number;
}

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

const hostileReceivers: readonly HostileReceiver[] = [
  { behaviour: 'stays silent', onSocket: () => undefined, expected: 'timeout' },
  { behaviour: 'never reads', onSocket: (socket) => socket.pause(), expected: 'timeout' },
  { behaviour: 'drips its status line', onSocket: drip('HTTP/1.', '1'), expected: 'reset' },
  { behaviour: 'drips headers', onSocket: drip(answerStart, 'a: b\r\n'), expected: 200 },
  { behaviour: 'drips one header', onSocket: drip(`${answerStart}a: `, 'b'), expected: 200 },
  {
    behaviour: 'drips a body',
    onSocket: drip(`${answerStart}Content-Length: 9999\r\n\r\n`, 'x'),
    expected: 200,
  },
  {
    behaviour: 'sends endless headers',
    onSocket: endless(answerStart, 'x-more: and more\r\n'),
    expected: 200,
  },
  {
    behaviour: 'sends one huge header',
    onSocket: endless(`${answerStart}x-huge: `, 'h'),
    expected: 200,
  },
  {
    behaviour: 'sends an endless body',
    onSocket: endless(`${answerStart}\r\n`, 'a'),
    expected: 200,
  },
  {
    behaviour: 'sends an endless chunked body',
    onSocket: endless(chunkedStart, '1\r\na\r\n'),
    expected: 200,
  },
  {
    behaviour: 'sends an endless chunk extension',
    onSocket: endless(`${chunkedStart}1`, ';e'),
    expected: 200,
  },
  {
    behaviour: 'sends endless trailers',
    onSocket: endless(`${chunkedStart}0\r\n`, 'x-more: and more\r\n'),
    expected: 200,
  },
  {
    behaviour: 'floods with interim answers',
    onSocket: endless('', 'HTTP/1.1 102 Processing\r\n\r\n'),
    expected: 'too_large',
  },
  {
    behaviour: 'drips interim answers',
    onSocket: drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    expected: 'timeout',
  },
  {
    behaviour: 'sends a gzip bomb',
    onSocket: endless(`${answerStart}Content-Encoding: gzip\r\n\r\n`, gzipBomb),
    expected: 200,
  },
  {
    behaviour: 'switches protocols',
    onSocket: endless('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'x'),
    expected: 'reset',
  },
  {
    behaviour: 'closes early',
    onSocket: onRequest((socket) => socket.end(`${answerStart}Content-Length: 10\r\n\r\nabc`)),
    expected: 200,
  },
  {
    behaviour: 'closes its half and stays',
    onSocket: onRequest((socket) => socket.end()),
    expected: 'reset',
  },
  {
    behaviour: 'resets the connection',
    onSocket: (socket) => socket.resetAndDestroy(),
    expected: 'reset',
  },
  {
    behaviour: 'contradicts itself on the length',
    onSocket: onRequest((socket) =>
      socket.write(
        `${answerStart}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ),
    expected: 200,
  },
  {
    behaviour: 'stalls in the TLS handshake',
    scheme: 'https',
    onSocket: () => undefined,
    expected: 'timeout',
  },
  {
    behaviour: 'sends endless bytes in place of a TLS handshake',
    scheme: 'https',
    onSocket: endless('', 'a'),
    expected: 'tls',
  },
];

// Larger than the buffers of both kernels, so that a receiver that does not read blocks the sender.
const body = Buffer.alloc(256 * 1024, 0x20);

function outcomeOf(result: SendResult): string | number {
  return result.kind === 'failed' ? result.errorClass : result.status;
}

async function meet(receiver: HostileReceiver, sender: Sender): Promise<SendResult> {
  await using server = await startTcpReceiver(receiver.onSocket);
  const url = server.url.replace('http:', `${receiver.scheme ?? 'http'}:`);
  const result = await sender.send({ url, headers: {}, body });
  await waitFor(() => server.sockets.every((socket) => isGone(socket)), {
    what: `the end of the connection to a receiver that ${receiver.behaviour}`,
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
        behaviour: receiver.behaviour,
        result: await meet(receiver, sender),
      })),
    ),
  );
  expect(met.map(({ behaviour, result }) => [behaviour, outcomeOf(result)])).toEqual(
    hostileReceivers.map(({ behaviour, expected }) => [behaviour, expected]),
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
