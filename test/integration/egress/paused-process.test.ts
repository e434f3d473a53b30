// A process that stood still past a deadline or a wait for a permit: the pause is ours and not the receiver's.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
const timeoutMs = 2_000;
const pauseMs = 2_500;
const message = { headers: {}, body: '{}' };

// In a thread of its own, so that it goes on while this one stands still.
const receiverSource = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    parentPort.postMessage('asked');
    if (workerData.answers) setTimeout(() => response.end('thanks'), workerData.afterMs);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function standStill(forMs: number): void {
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
    standStill(pauseMs);
    return await sent;
  } finally {
    await receiver.terminate();
  }
}

test('an answer that came during a pause counts, though its deadline passed unseen', async () => {
  expect(await sendAndPause({ answers: true })).toMatchObject({ kind: 'answered', status: 200 });
});

test('an answer that did not come during the pause is a timeout at its end', async () => {
  const result = await sendAndPause({ answers: false });
  expect(result).toMatchObject({ kind: 'failed', errorClass: 'timeout' });
  // The pause gives the receiver no time of its own.
  expect(result.ms.total).toBeLessThan(pauseMs + timeoutMs);
});

test('a pause throttles nobody who waits for a receiver that answers at once', async () => {
  const workerData = { answers: true, afterMs: 20 };
  const receiver = new Worker(receiverSource, { eval: true, workerData });
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    await using sender = createHttpSender({ policy });
    const target = { url: `http://127.0.0.1:${port}/`, webhookUid: 'one', avoidsSaturated: true };
    const asked = once(receiver, 'message');
    const sends = Array.from({ length: 100 }, () => sender.send({ ...target, ...message }));
    await asked;
    // Longer than until a request is overdue and than anybody waits.
    standStill(2_500);
    const kinds = (await Promise.all(sends)).map(({ kind }) => kind);
    expect(kinds).toEqual(sends.map(() => 'answered'));
  } finally {
    await receiver.terminate();
  }
});
