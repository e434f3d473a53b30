// Wrong or unusual responses: each leads to a result, none is mixed up with the next, and a status line that was read decides.
import * as fc from 'fast-check';
import type { Socket } from 'node:net';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { SendResult } from '../../../lib/egress/sender.ts';
import { type Receiver, startTcpReceiver } from '../../support/receivers.ts';
import { soakShare } from '../../support/soak-share.ts';
import { policyOfThisMachine as policy, post, statusOf } from './sends.ts';

const good = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const notValid = 'the response of the receiver was not valid HTTP/1.1';
const notHttp = `reset: ${notValid}`;
const closed = 'the receiver closed the connection before its response was complete';
const cutShort = `reset: ${closed}`;
const broken = '200: the response of the receiver was not complete or not valid HTTP/1.1';
const tooLarge = 'the response was too large';

/** A status that counts although the parser rejects what follows. */
const odd = (reason: string, status = 200): string => `${status}: ${notValid} (${reason})`;

/** Writes a response to each request, in pieces, and then runs an action on the connection. */
function startAnswering(
  pieces: readonly string[],
  afterwards: (socket: Socket) => void,
): Promise<Receiver> {
  return startTcpReceiver((socket) => {
    socket.setNoDelay(true);
    socket.on('data', () => {
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          // A turn of the event loop, so that the pieces arrive separately.
          await new Promise(setImmediate);
        }
        afterwards(socket);
      })();
    });
  });
}

const close = (socket: Socket): void => void socket.end();

/** Returns the status of a response with what was odd, or a description of a failure. */
function shownOf(result: SendResult): number | string {
  const isOdd = result.kind === 'responded' && result.detail !== null;
  return isOdd ? `${result.status}: ${result.detail}` : statusOf(result);
}

/** A response, its result, and the number of connections that two of them take. */
type Case = readonly [string, string | readonly string[], number | string, 1 | 2];

const whileOpen: readonly Case[] = [
  ['a status of 099', 'HTTP/1.1 099 X\r\n\r\n', notHttp, 2],
  ['a status of two digits', 'HTTP/1.1 20 X\r\n\r\n', `${notHttp} (Invalid status code)`, 2],
  ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200, 1],
  ['a longer reason phrase', good.replace('OK', 'r'.repeat(300_000)), `too_large: ${tooLarge}`, 2],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', `${notHttp} (Expected HTTP/, RTSP/ or ICE/)`, 2],
  ['HTTP/1.0', good.replace('1.1', '1.0'), 200, 2],
  ['empty lines first', `\r\n\r\n${good}`, 200, 1],
  [
    'lines without CR',
    good.replaceAll('\r\n', '\n'),
    odd('Missing expected CR after response line'),
    2,
  ],
  ['NUL in a header after its length', good.replace('2\r\n', '2\r\nX: a\0b\r\n'), broken, 2],
  ['a header that is no property', good.replace('Content', '__proto__: x\r\nContent'), 200, 1],
  [
    'a failure with a folded header',
    good.replace('200', '500').replace('Content', 'X: a\r\n b\r\nContent'),
    odd('Unexpected whitespace after header value', 500),
    2,
  ],
  [
    'a status without CR in pieces',
    ['HTT', 'P/1.1 2', '00 O', 'K\n\n'],
    odd('Missing expected CR after response line'),
    2,
  ],
  [
    'headers without an end',
    `HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(300)}`,
    '200: the headers of the response were larger than 16 KiB',
    2,
  ],
  [
    'trailers without an end',
    `${chunked}2\r\nok\r\n0\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(300)}`,
    '200: the headers of the response were larger than 16 KiB',
    2,
  ],
  ['an endless extension of a chunk', `${chunked}2;${'x'.repeat(300_000)}`, `200: ${tooLarge}`, 2],
  ['more than its length', `${good}more`, 200, 2],
  ['204 with a body', 'HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello', 204, 2],
  [
    'an offer to upgrade',
    good.replace('Content', 'Connection: upgrade\r\nUpgrade: h2c\r\nContent'),
    200,
    1,
  ],
  ['trailers', `${chunked}2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`, 200, 1],
  ['100 Continue in pieces', ['HTTP/1', '.1 1', '00 Continue\r', '\n\r', `\n${good}`], 200, 1],
  [
    'many interim answers',
    [`HTTP/1.1 102 P\r\n\r\n`.repeat(50), `HTTP/1.1 100\r\n\r\n${good}`],
    200,
    1,
  ],
  [
    '101 and another protocol',
    'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n\x81\x01',
    `${notHttp} (Expected HTTP/, RTSP/ or ICE/)`,
    2,
  ],
  [
    'an interim head of 300 KiB',
    `HTTP/1.1 103 Hints\r\nX: ${'x'.repeat(307_200)}\r\n\r\n${good}`,
    `too_large: ${tooLarge}`,
    2,
  ],
];

const thenClosed: readonly Case[] = [
  ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\nhello', 200, 2],
  ['less than its length', good.slice(0, -1), `200: ${closed}`, 2],
  [
    'less than its length, the last answer',
    good.replace('C', 'Connection: close\r\nC').slice(0, -1),
    broken,
    2,
  ],
  ['no last chunk', `${chunked}2\r\nok\r\n`, `200: ${closed}`, 2],
  ['a status line without an end', 'HTTP/1.1 200 OK', cutShort, 2],
  ['a status line alone', 'HTTP/1.1 200 OK\r\n', `200: ${closed}`, 2],
  ['half a status line after an interim answer', 'HTTP/1.1 103 H\r\n\r\nHTTP/1.1 200', cutShort, 2],

  ['nothing but an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n', cutShort, 2],
  ['no more HTTP/1.1', 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', cutShort, 2],
];

const cases = [
  ...whileOpen.map((answer) => ({ answer, afterwards: () => undefined })),
  ...thenClosed.map((answer) => ({ answer, afterwards: close })),
].map(({ answer: [sent, bytes, expected, connections], afterwards }) => {
  return { sent, pieces: [bytes].flat(), expected, connections, afterwards };
});

test.each(cases)('a receiver that sends $sent', async (strange) => {
  await using receiver = await startAnswering(strange.pieces, strange.afterwards);
  await using sender = createHttpSender({ policy });
  for (let round = 0; round < 2; round += 1) {
    // Long enough for any machine, because none of these tests a timeout.
    const result = await sender.send(post(receiver.url, { timeoutMs: 60_000 }));
    expect(shownOf(result)).toBe(strange.expected);
  }
  expect(receiver.sockets).toHaveLength(strange.connections);
});

test('a request whose connection breaks within an interim response is not repeated', async () => {
  let asked = 0;
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => {
      asked += 1;
      if (asked === 1) socket.write(good);
      else socket.end('HTTP/1.1 100 Cont');
    });
  });
  await using sender = createHttpSender({ policy });
  expect(statusOf(await sender.send(post(receiver.url)))).toBe(200);
  expect(statusOf(await sender.send(post(receiver.url)))).toBe(cutShort);
  expect(receiver.sockets).toHaveLength(1);
});

test('a connection is not reused while the last request is still being written', async () => {
  await using receiver = await startTcpReceiver((socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.write(good);
    });
  });
  await using sender = createHttpSender({ policy });
  // Larger than the buffers of both kernels.
  const large = post(receiver.url, { body: Buffer.alloc(32 * 1024 * 1024), timeoutMs: 60_000 });
  expect(statusOf(await sender.send(large))).toBe(200);
  expect(statusOf(await sender.send(post(receiver.url, { timeoutMs: 60_000 })))).toBe(200);
  expect(receiver.sockets).toHaveLength(2);
});

const status = fc.oneof(
  fc.constantFrom('000', '099', '100', '101', '103', '199', '200', '204', '304', '500', '999'),
  fc.stringMatching(/^[0-9]{1,4}$/),
);
const header = fc.constantFrom(
  'Content-Length: 2',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Connection: close',
  'Connection: upgrade',
  'Upgrade: h2c',
  'Keep-Alive: timeout=0',
  'Retry-After: soon',
  'X\0: \xff',
);
const head = fc
  .tuple(
    fc.constantFrom('1.1', '1.1', '1.1', '1.0', '2.0'),
    status,
    fc.array(header, { maxLength: 4 }),
  )
  .map(([version, code, lines]) => [`HTTP/${version} ${code} X`, ...lines, '', ''].join('\r\n'));
const part = fc.oneof(
  { weight: 4, arbitrary: head },
  { weight: 2, arbitrary: fc.constantFrom('ok', '2\r\nok\r\n', '0\r\n\r\n', '\r\n', good) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const answers = fc.array(part, { minLength: 1, maxLength: 5 });

test('any bytes from a receiver lead to a result and not to a fault of ours', async () => {
  let pieces: readonly string[] = [];
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => {
      for (const piece of pieces) socket.write(piece, 'latin1');
      socket.end();
    });
  });
  await using sender = createHttpSender({ policy });
  const property = fc.asyncProperty(answers, async (sent) => {
    pieces = sent;
    const result = await sender.send(post(receiver.url, { timeoutMs: 60_000 }));
    if (result.kind === 'failed') expect(['reset', 'too_large']).toContain(result.errorClass);
    else expect(result.status).toBeGreaterThanOrEqual(200);
  });
  await fc.assert(property, { seed: 20_261_122, numRuns: soakShare(1_000) });
});

test('the readable part of a response that the parser rejects is kept', async () => {
  const head = 'HTTP/1.1 429 Slow\r\nX: a\r\n  b\r\nRetry-After : 120\r\n\r\n';
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => socket.write(`${head}not so fast`));
  });
  await using sender = createHttpSender({ policy });
  expect(await sender.send(post(receiver.url, { timeoutMs: 60_000 }))).toMatchObject({
    status: 429,
    retryAfter: '120',
    responseSample: 'not so fast',
  });
});

test('a status line received before this process stops counts, and nothing before it does', async () => {
  let bytes = 'HTTP/1.1 200 OK\r\n';
  let stop = new AbortController();
  let turns = 0;
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => {
      socket.write(bytes);
      void (async () => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
        stop.abort(new Error('stopping'));
      })();
    });
  });
  await using sender = createHttpSender({ policy });
  const send = async (): Promise<number | string> => {
    stop = new AbortController();
    const sent = sender.send(post(receiver.url, { timeoutMs: 60_000, signal: stop.signal }));
    return sent.then(statusOf, (error: Error) => error.message);
  };
  // More and more turns of the event loop, until the sender reads the line before the stop.
  let status = await send();
  for (; status === 'stopping' && turns < 1_000; turns += 10) status = await send();
  expect(status).toBe(200);
  bytes = 'HTTP/1.1 200 OK';
  expect(await send()).toBe('stopping');
});

test.each([200, 401])(
  '%d before the request was read counts, with a reset after it',
  async (status) => {
    await using receiver = await startTcpReceiver((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 9\r\n\r\nok`, () => {
          socket.resetAndDestroy();
        });
      });
    });
    await using sender = createHttpSender({ policy });
    const body = Buffer.alloc(32 * 1024 * 1024);
    for (let round = 0; round < 5; round += 1) {
      const result = await sender.send(post(receiver.url, { body, timeoutMs: 60_000 }));
      expect(statusOf(result)).toBe(status);
    }
  },
);
