// The outcome of an attempt for responses and network failures of each kind, over real servers.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { defaultRetryScheduleMs } from '../../../lib/webhooks/retry-schedule.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { hourMs, minuteMs } from '../../../lib/platform/duration.ts';
import { limits } from '../../../lib/limits.ts';
import type { ErrorClass } from '../../../lib/model/attempt.ts';
import type { DeliveryState } from '../../../lib/model/delivery-state.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import {
  closedPort,
  makeKeyPair,
  type Receiver,
  startReceiver,
  startTcpReceiver,
  startTlsReceiver,
} from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let ports: DeliveryPorts;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const { egress: policy } = installation.config;
  ports = deliveryPorts(installation, {
    sender: open.use(createHttpSender({ policy, resolver: oneName })),
    retryScheduleMs: defaultRetryScheduleMs,
  });
});

afterAll(() => open[Symbol.asyncDispose]());

/** Resolves only one name, so that the name servers of this machine do not matter. */
async function oneName(hostname: string): Promise<readonly string[]> {
  if (hostname === 'private.example.com') return ['fe80::1', '10.1.2.3'];
  const unknown = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  throw Object.assign(unknown, { code: 'ENOTFOUND' });
}

/** The target of the webhook: a receiver created for the row, or none. */
type Target = () => Promise<Receiver | { url: string }>;

const answering =
  (status: number, headers: () => Record<string, string> = () => ({})): Target =>
  () =>
    startReceiver((response) => response.writeHead(status, headers()).end(`status ${status}`));

const at =
  (url: string): Target =>
  () =>
    Promise.resolve({ url });

const inSeconds = (count: number): string => new Date(Date.now() + count * 1_000).toUTCString();

interface Row {
  what: string;
  target: Target;
  state: DeliveryState;
  errorClass: ErrorClass | null;
  status: number | null;
  /** The shortest and longest wait until the next attempt. Null if there is none. */
  waitMs: readonly [number, number] | null;
  sample: string;
  /** The number of requests that reach the receiver, if it counts them. */
  requests?: number;
}

const withJitter = (waitMs: number): number => Math.round(waitMs * 1.15);
const [firstWaitMs = 0] = defaultRetryScheduleMs;
const scheduled = [firstWaitMs, withJitter(firstWaitMs)] as const;
const delivered = { state: 'delivered', errorClass: null, waitMs: null } as const;
const retrying = { state: 'retrying', waitMs: scheduled } as const;
const noAnswer = { ...retrying, status: null, sample: '' };

const answered = (status: number, more: Partial<Row> = {}): Row => ({
  what: `status ${status}`,
  target: answering(status),
  ...(status < 300 ? delivered : { ...retrying, errorClass: 'status' }),
  status,
  sample: status === 204 ? '' : `status ${status}`,
  requests: 1,
  ...more,
});

function retryAfterRow(status: number, what: string, asked: [() => string, number, number]): Row {
  const [retryAfter, shortestMs, longestMs] = asked;
  return answered(status, {
    what: `status ${status} with Retry-After ${what}`,
    target: answering(status, () => ({ 'retry-after': retryAfter() })),
    waitMs: [shortestMs, longestMs],
  });
}

const blockedForGood = { state: 'blocked', errorClass: 'blocked', waitMs: null } as const;

const rows: Row[] = [
  ...[204, 299, 400, 500].map((status) => answered(status)),
  answered(302, {
    target: async () => {
      const receiver = await startReceiver((response) => {
        response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end('status 302');
      });
      return receiver;
    },
  }),
  answered(410, { state: 'exhausted', waitMs: null }),
  retryAfterRow(429, 'in seconds', [() => '60', minuteMs, withJitter(minuteMs)]),
  // A date is in whole seconds, so up to one second is cut off.
  retryAfterRow(503, 'as a date', [() => inSeconds(60), minuteMs - 1_000, withJitter(minuteMs)]),
  retryAfterRow(503, 'of a day', [() => '86400', hourMs, hourMs]),
  retryAfterRow(500, 'in seconds, which only 429 and 503 have', [() => '60', ...scheduled]),
  {
    ...noAnswer,
    what: 'no answer within the time limit of an attempt',
    target: () => startReceiver(() => undefined),
    errorClass: 'timeout',
    requests: 1,
  },
  {
    ...noAnswer,
    what: 'a connection that is refused',
    target: async () => ({ url: `http://127.0.0.1:${await closedPort()}` }),
    errorClass: 'connect',
  },
  {
    ...noAnswer,
    what: 'a connection that is reset instead of answered',
    target: () =>
      startTcpReceiver((socket) => {
        socket.once('data', () => socket.resetAndDestroy());
      }),
    errorClass: 'reset',
  },
  {
    ...noAnswer,
    what: 'a certificate of an unknown issuer',
    target: () => startTlsReceiver(makeKeyPair(), (response) => response.end()),
    errorClass: 'tls',
    requests: 0,
  },
  {
    ...noAnswer,
    what: 'a name that does not resolve',
    target: at('http://nowhere.example.com'),
    errorClass: 'dns',
  },
  {
    ...noAnswer,
    what: 'a name without a public address',
    target: at('http://private.example.com'),
    errorClass: 'blocked',
  },
  {
    ...noAnswer,
    ...blockedForGood,
    what: 'an address that is not public',
    target: at('http://10.1.2.3'),
  },
  {
    ...noAnswer,
    ...blockedForGood,
    what: 'a name that is never public',
    target: at('http://receiver.invalid'),
  },
];

/** The attempt as the result of a workflow shows it. */
function shownAttempt({ status, errorClass }: Row): unknown {
  return {
    n: 1,
    at: expect.any(String),
    ms: expect.any(Number),
    ...(status === null ? { errorClass } : { status }),
  };
}

test.each(rows)('$what: $state', async (row) => {
  await using close = new Disposal();
  const receiver = await row.target();
  if ('requests' in receiver) close.use(receiver);
  const webhook = await insertWebhook(installation, { url: `${receiver.url}/hook` });
  const event = await insertEvent(installation, [webhook._id]);
  const key = { appUid: installation.app.appUid, eventId: event._id, webhookUid: webhook._id };
  const { signal } = new AbortController();
  const startedAt = Date.now();
  const outcome = await attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });
  const endedAt = Date.now();

  const { state, errorClass, status } = row;
  const delivery = await installation.store.deliveries.findOne(key);
  expect(delivery).toMatchObject({ state, attemptCount: 1 });
  expect(delivery?.attempts).toHaveLength(1);
  expect(delivery?.attempts[0]).toMatchObject({
    n: 1,
    trigger: 'event',
    status,
    errorClass,
    responseSample: row.sample,
    // There is no connection to a blocked address or an unresolved name.
    address: errorClass === 'dns' || errorClass === 'blocked' ? null : '127.0.0.1',
  });
  const nextAttemptAt = delivery?.nextAttemptAt ?? null;
  expect(outcome).toEqual({
    eventId: event._id,
    webhookUid: webhook._id,
    ...(nextAttemptAt === null
      ? { state }
      : { state: 'later', why: 'retry', at: nextAttemptAt.toISOString() }),
    attemptCount: 1,
    status,
    errorClass,
    host: new URL(webhook.url).host,
    attemptsMax: defaultRetryScheduleMs.length + 1,
    attempts: [shownAttempt(row)],
  });
  if (row.waitMs === null) {
    expect(nextAttemptAt).toBeNull();
  } else {
    const [shortestMs, longestMs] = row.waitMs;
    expect(nextAttemptAt?.getTime()).toBeGreaterThanOrEqual(startedAt + shortestMs);
    expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(endedAt + longestMs);
  }
  const totalMs = delivery?.attempts[0]?.ms.total ?? 0;
  if (errorClass === 'timeout') expect(totalMs).toBeGreaterThanOrEqual(limits.attemptTimeoutMs - 1);
  if (row.requests !== undefined && 'requests' in receiver) {
    expect(receiver.requests).toHaveLength(row.requests);
  }
  const stored = await installation.store.webhooks.findOne({ _id: webhook._id });
  const toldAtOnce = errorClass === 'blocked' ? 'failing' : null;
  expect(stored).toMatchObject(
    status === 410
      ? { active: false, disabledReason: 'gone' }
      : { active: true, disabledReason: null, notified: toldAtOnce },
  );
  expect(stored?.failingSince instanceof Date).toBe(state !== 'delivered' && status !== 410);
});
