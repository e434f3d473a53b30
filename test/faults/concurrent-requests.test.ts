// The limits of concurrent requests to a receiver that never responds: per webhook, per origin, in total.
import { expect, test } from 'vitest';
import { errorCode } from '../../lib/platform/error-code.ts';
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

test('at most 32 requests to a silent webhook are in flight', async () => {
  await using receiver = await startReceiver(() => undefined);
  await using sender = createHttpSender({ policy, timeoutMs: 1_500 });
  let [waiting, inFlight, most, ended] = [0, 0, 0, 0];
  const send = async (): Promise<void> => {
    let isWaiting = true;
    waiting += 1;
    const compose = async () => {
      // The end of the request that held its permit may not have been processed yet.
      await new Promise((resolve) => void setImmediate(resolve));
      [isWaiting, waiting, inFlight] = [false, waiting - 1, inFlight + 1];
      most = Math.max(most, inFlight);
      return { headers: {}, body: '{}' };
    };
    try {
      await sender.send({ url: receiver.url, webhookUid: 'one', compose });
      ended += 1;
    } catch (error) {
      if (errorCode(error) !== 'THROTTLED') throw error;
    } finally {
      if (isWaiting) waiting -= 1;
      else inFlight -= 1;
    }
  };
  const sends: Promise<void>[] = [];
  await waitFor(() => {
    sends.push(...many(32 - waiting, send));
    return ended >= 96;
  });
  sender.endWaits();
  await Promise.all(sends);
  expect(most).toBe(32);
});

test('when waiting is ended, waiting requests are throttled, and those in flight end normally', async () => {
  const answers: (() => void)[] = [];
  let waitsEnded = false;
  await using receiver = await startReceiver((response) => {
    if (waitsEnded) response.end();
    else answers.push(() => response.end());
  });
  await using sender = createHttpSender({ policy, timeoutMs: 60_000 });
  const target = { url: receiver.url, webhookUid: 'one', headers: {}, body: '{}' };
  const sends = many(100, () => sender.send(target));
  await waitFor(() => answers.length >= 32);
  sender.endWaits();
  // Requests that arrive later get an immediate response.
  waitsEnded = true;
  await expect(sends.at(-1)).rejects.toMatchObject({ code: 'THROTTLED' });
  for (const answer of answers) answer();
  const ends = await Promise.allSettled(sends);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(
    receiver.requests.length,
  );
  expect(receiver.requests.length).toBeLessThan(100);
});
