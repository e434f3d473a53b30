// How many requests are under way at a receiver that never answers: of a webhook, to an origin, in all.
import { expect, test } from '@jest/globals';
import { errorCode } from '../../../lib/error-code.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const policy = {
  allowHttp: true,
  ports: 'any' as const,
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
};
// Every host name leads to the one receiver, and is an origin of its own.
const resolver = async (): Promise<string[]> => ['127.0.0.1'];
const holdMs = 1_000;

interface Target {
  readonly host?: string;
  readonly webhookUid: string;
}

/** Sends to each target at once, stops when more requests came than may go at once, and tells when. */
async function sendAll(targets: readonly Target[], atOnceMax: number) {
  await using receiver = await startReceiver(() => undefined);
  const stopping = new AbortController();
  const sender = createHttpSender({ policy, resolver });
  const since = performance.now();
  const sends = targets.map(({ host = 'hooks.example.com', webhookUid }) => {
    const url = `http://${host}:${receiver.port}/${webhookUid}`;
    return sender.send({ url, webhookUid, headers: {}, body: '{}', signal: stopping.signal });
  });
  await waitFor(() => receiver.requests.length > atOnceMax, { what: 'the next turns' });
  const nextAfterMs = performance.now() - since;
  const paths = receiver.requests.slice(0, atOnceMax).map(({ path }) => path.slice(1));
  stopping.abort(new Error('seen enough'));
  await Promise.allSettled(sends);
  await sender[Symbol.asyncDispose]();
  return { nextAfterMs, paths };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => make(index));

test('of a webhook 24 requests go in the first second, the next when those count no longer', async () => {
  const { nextAfterMs } = await sendAll(
    many(100, () => ({ webhookUid: 'one' })),
    24,
  );
  expect(nextAfterMs).toBeGreaterThanOrEqual(holdMs);
});

test('to an origin 32 go, of which one webhook has 24 at most', async () => {
  const { nextAfterMs, paths } = await sendAll(
    many(100, (index) => ({ webhookUid: index < 50 ? 'one' : 'other' })),
    32,
  );
  expect(nextAfterMs).toBeGreaterThanOrEqual(holdMs);
  expect(paths.filter((path) => path === 'one')).toHaveLength(24);
});

test('in all 256 go', async () => {
  const { nextAfterMs } = await sendAll(
    many(300, (index) => ({ host: `${index}.example.com`, webhookUid: `w${index}` })),
    256,
  );
  expect(nextAfterMs).toBeGreaterThanOrEqual(holdMs);
});

test.each([
  { whose: 'retries', avoidsSlow: false, least: 4 * 24, most: 5 * 24 },
  { whose: 'first attempts', avoidsSlow: true, least: 24, most: 3 * 24 },
])('$whose: at most $most requests to a silent webhook are ever under way', async (rule) => {
  await using receiver = await startReceiver(() => undefined);
  // Less than five seconds, so that a timer that fires late does not let the sixth second's go before the first's end.
  await using sender = createHttpSender({ policy, timeoutMs: 4_500 });
  const { avoidsSlow } = rule;
  let [waiting, underWay, most, ended] = [0, 0, 0, 0];
  const send = async (): Promise<void> => {
    let isWaiting = true;
    waiting += 1;
    const compose = async () => {
      [isWaiting, waiting, underWay] = [false, waiting - 1, underWay + 1];
      most = Math.max(most, underWay);
      return { headers: {}, body: '{}' };
    };
    try {
      await sender.send({ url: receiver.url, webhookUid: 'one', avoidsSlow, compose });
      ended += 1;
    } catch (error) {
      if (errorCode(error) !== 'NO_TURN') throw error;
    } finally {
      if (isWaiting) waiting -= 1;
      else underWay -= 1;
    }
  };
  const sends: Promise<void>[] = [];
  await waitFor(() => {
    sends.push(...many(24 - waiting, send));
    // Those of the first two seconds.
    return ended >= 48;
  });
  sender.endWaits();
  await Promise.all(sends);
  expect(most).toBeGreaterThanOrEqual(rule.least);
  expect(most).toBeLessThanOrEqual(rule.most);
});

test('when the waits end, what waits is turned away, and what is under way ends as it would', async () => {
  const answers: (() => void)[] = [];
  let waitsEnded = false;
  await using receiver = await startReceiver((response) => {
    if (waitsEnded) response.end();
    else answers.push(() => response.end());
  });
  await using sender = createHttpSender({ policy, timeoutMs: 60_000 });
  const target = { url: receiver.url, webhookUid: 'one', headers: {}, body: '{}' };
  const sends = many(100, () => sender.send(target));
  await waitFor(() => answers.length >= 24);
  sender.endWaits();
  // What has begun and comes later is answered as it comes.
  waitsEnded = true;
  await expect(sends.at(-1)).rejects.toMatchObject({ code: 'NO_TURN' });
  for (const answer of answers) answer();
  const ends = await Promise.allSettled(sends);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(
    receiver.requests.length,
  );
  expect(receiver.requests.length).toBeLessThan(100);
});
