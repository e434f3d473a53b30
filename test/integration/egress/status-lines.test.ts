// A status line that was read decides, whatever follows it.
import { expect, test } from 'vitest';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { startTcpReceiver } from '../../support/receivers.ts';
import { policyOfThisMachine as policy, post, statusOf } from './sends.ts';

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
