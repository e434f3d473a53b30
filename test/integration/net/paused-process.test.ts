// A process that stood still past an attempt's deadline: the pause is ours and not the receiver's.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { createHttpSender } from '../../../lib/net/http-sender.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
const timeoutMs = 5_000;
const pauseMs = 6_000;

// In a thread of its own, so that it goes on while this one stands still.
const receiverSource = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    parentPort.postMessage('asked');
    if (workerData.answers) setTimeout(() => response.end('thanks'), 1_000);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

async function sendAndPause({ answers }: { answers: boolean }) {
  const receiver = new Worker(receiverSource, { eval: true, workerData: { answers } });
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    await using sender = createHttpSender({ policy });
    const asked = once(receiver, 'message');
    const sent = sender.send({
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      body: '{}',
      timeoutMs,
    });
    await asked;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
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
