// Requests to receivers that never respond: the limits per webhook, per origin and in total. And a process that is suspended
// past a deadline or a wait for a permit: the pause does not count against the receiver.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import { startReceiver } from '../support/receivers.ts';
import { waitFor } from '../support/wait-for.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
// Every host name resolves to the same receiver, but is a separate origin.
const resolver = async (): Promise<string[]> => ['127.0.0.1'];
const overdueAfterMs = 1_000;

interface Target {
  readonly host?: string;
  readonly webhookUid: string;
  readonly appUid?: string;
}

/** Sends to all targets concurrently until more requests have arrived than there are permits. Returns their times. */
async function sendAll(targets: readonly Target[], permits: number) {
  await using receiver = await startReceiver(() => undefined);
  const stopping = new AbortController();
  const sender = createHttpSender({ policy, resolver });
  const since = performance.now();
  const sends = targets.map(({ host = 'hooks.example.com', webhookUid, appUid = 'one' }) => {
    const url = `http://${host}:${receiver.port}/${webhookUid}`;
    return sender.send({
      url,
      appUid,
      webhookUid,
      headers: {},
      body: '{}',
      signal: stopping.signal,
    });
  });
  await waitFor(() => receiver.requests.length > permits, { what: 'the next requests' });
  const nextAfterMs = performance.now() - since;
  const paths = receiver.requests.slice(0, permits).map(({ path }) => path.slice(1));
  stopping.abort(new Error('seen enough'));
  await Promise.allSettled(sends);
  await sender[Symbol.asyncDispose]();
  return { nextAfterMs, paths };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => make(index));

test('an origin gets 128 requests, 32 of each webhook, and more when those are overdue', async () => {
  const { nextAfterMs, paths } = await sendAll(
    many(300, (index) => ({ webhookUid: `w${index % 5}` })),
    128,
  );
  expect(nextAfterMs).toBeGreaterThanOrEqual(overdueAfterMs);
  for (let n = 0; n < 5; n += 1) {
    expect(paths.filter((path) => path === `w${n}`).length).toBeLessThanOrEqual(32);
  }
});

test.each([
  { whose: 'an application', most: 192, appUidOf: () => 'one' },
  { whose: 'all applications', most: 256, appUidOf: (index: number) => `app${index}` },
])('at most $most requests of $whose are in flight', async ({ most, appUidOf }) => {
  const { nextAfterMs } = await sendAll(
    many(300, (index) => ({
      host: `${index}.example.com`,
      webhookUid: `w${index}`,
      appUid: appUidOf(index),
    })),
    most,
  );
  expect(nextAfterMs).toBeGreaterThanOrEqual(overdueAfterMs);
});

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
