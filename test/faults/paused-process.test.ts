// A process is suspended past a deadline or a wait for a permit: the pause does not count against the receiver.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createHttpSender } from '../../lib/egress/http-sender.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
const timeoutMs = 2_000;
const pauseMs = 2_500;
const message = { headers: {}, body: '{}' };

// In a separate thread, so that it continues while this one is blocked.
const receiverSource = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    parentPort.postMessage('asked');
    if (workerData.answers) setTimeout(() => response.end('thanks'), workerData.afterMs);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function blockThread(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

async function sendAndPause({ answers }: { answers: boolean }) {
  const workerData = { answers, afterMs: 500 };
  const receiver = new Worker(receiverSource, { eval: true, workerData });
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    await using sender = createHttpSender({ policy });
    const asked = once(receiver, 'message');
    const sent = sender.send({ url: `http://127.0.0.1:${port}/`, ...message, timeoutMs });
    await asked;
    blockThread(pauseMs);
    return await sent;
  } finally {
    await receiver.terminate();
  }
}

test('a response that arrived during a pause counts, even if the deadline passed meanwhile', async () => {
  expect(await sendAndPause({ answers: true })).toMatchObject({ kind: 'responded', status: 200 });
});

test('a request without a response during the pause times out at its end', async () => {
  const result = await sendAndPause({ answers: false });
  expect(result).toMatchObject({ kind: 'failed', errorClass: 'timeout' });
  // The receiver gets no more time after the pause.
  expect(result.ms.total).toBeLessThan(pauseMs + timeoutMs);
});

test('a pause does not throttle requests that wait for a receiver that responds immediately', async () => {
  const workerData = { answers: true, afterMs: 20 };
  const receiver = new Worker(receiverSource, { eval: true, workerData });
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    await using sender = createHttpSender({ policy });
    const target = { url: `http://127.0.0.1:${port}/`, webhookUid: 'one' };
    const asked = once(receiver, 'message');
    const sends = Array.from({ length: 100 }, () => sender.send({ ...target, ...message }));
    await asked;
    // Longer than a request takes to become overdue, and longer than any wait for a permit.
    blockThread(2_500);
    const kinds = (await Promise.all(sends)).map(({ kind }) => kind);
    expect(kinds).toEqual(sends.map(() => 'responded'));
  } finally {
    await receiver.terminate();
  }
});
