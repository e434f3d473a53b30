// The outcome of an attempt for every response of a receiver and every network failure, over real servers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { defaultRetryScheduleMs } from '../../../lib/deliveries/retry-schedule.ts';
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
    sender: open.use(createHttpSender({ policy, resolver: fewNames })),
    retryScheduleMs: defaultRetryScheduleMs,
  });
});

afterAll(() => open[Symbol.asyncDispose]());

const addressesOf: Readonly<Record<string, readonly string[]>> = {
  'mixed.example.com': ['fe80::1', '127.0.0.1'],
  'private.example.com': ['fe80::1', '10.1.2.3'],
};

/** Resolves only a few names, so that the name servers of this machine do not matter. */
async function fewNames(hostname: string): Promise<readonly string[]> {
  const addresses = addressesOf[hostname];
  if (addresses !== undefined) return addresses;
  const unknown = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  throw Object.assign(unknown, { code: 'ENOTFOUND' });
}

/** The target of the webhook: a receiver created for the row, or none. */
type Target = () => Promise<Receiver | { url: string }>;

const answering =
  (status: number, headers: () => Record<string, string> = () => ({})): Target =>
  () =>
    startReceiver((response) => response.writeHead(status, headers()).end(`status ${status}`));

const atName =
  (name: string): Target =>
  async () => {
    const receiver = await startReceiver((response) => response.end());
    return { ...receiver, url: `http://${name}:${receiver.port}` };
  };

const at = (url: string): Target => {
  return () => Promise.resolve({ url });
};

function dripUntilClosed(response: ServerResponse): void {
  response.writeHead(200);
  const drip = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(drip));
}

function pourUntilClosed(response: ServerResponse): void {
  response.writeHead(200);
  const pour = (): void => {
    while (!response.destroyed && response.write('a'.repeat(16_384)));
  };
  response.on('drain', pour);
  pour();
}

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

function statusRow(status: number, what = `status ${status}`, more: Partial<Row> = {}): Row {
  return {
    what,
    target: answering(status),
    ...(status < 300 ? delivered : { ...retrying, errorClass: 'status' }),
    status,
    // These two have no body (RFC 9110 §6.4.1).
    sample: status === 204 || status === 304 ? '' : `status ${status}`,
    requests: 1,
    ...more,
  };
}

function retryAfterRow(status: number, what: string, asked: [() => string, number, number]): Row {
  const [retryAfter, shortestMs, longestMs] = asked;
  return statusRow(status, `status ${status} with Retry-After ${what}`, {
    target: answering(status, () => ({ 'retry-after': retryAfter() })),
    waitMs: [shortestMs, longestMs],
  });
}

const rows: Row[] = [
  ...[200, 204, 299].map((status) => statusRow(status)),
  ...[301, 302, 307, 308].map((status) =>
    statusRow(status, `status ${status} to elsewhere`, {
      target: async () => {
        const receiver = await startReceiver((response) => {
          response.writeHead(status, { location: `${receiver.url}/elsewhere` });
          response.end(`status ${status}`);
        });
        return receiver;
      },
    }),
  ),
  ...[304, 400, 401, 404, 409, 429, 500, 502, 503, 599].map((status) => statusRow(status)),
  statusRow(410, 'status 410', { state: 'exhausted', waitMs: null }),
  ...[429, 503].flatMap((status) => [
    retryAfterRow(status, 'in seconds', [() => '60', minuteMs, withJitter(minuteMs)]),
    // A date is in whole seconds, so up to one second is cut off.
    retryAfterRow(status, 'as a date', [
      () => inSeconds(60),
      minuteMs - 1_000,
      withJitter(minuteMs),
    ]),
    retryAfterRow(status, 'before the schedule', [() => '1', ...scheduled]),
    retryAfterRow(status, 'in the past', [() => inSeconds(-60), ...scheduled]),
    retryAfterRow(status, 'of a day', [() => '86400', hourMs, hourMs]),
    retryAfterRow(status, 'that nobody can read', [() => 'soon', ...scheduled]),
  ]),
  retryAfterRow(500, 'in seconds, which only 429 and 503 have', [() => '60', ...scheduled]),
  {
    ...noAnswer,
    what: 'no answer within the time limit of an attempt',
    target: () => startReceiver(() => undefined),
    errorClass: 'timeout',
    requests: 1,
  },
  {
    ...delivered,
    what: 'a 200 whose body drips beyond the time limit of an attempt',
    target: () => startReceiver(dripUntilClosed),
    status: 200,
    sample: expect.stringMatching(/^\.+$/),
    requests: 1,
  },
  {
    ...delivered,
    what: 'a 200 whose body never ends',
    target: () => startReceiver(pourUntilClosed),
    status: 200,
    sample: 'a'.repeat(4_096),
    requests: 1,
  },
  {
    ...delivered,
    what: 'a 200 with headers larger than 16 KiB',
    target: answering(200, () => ({ 'x-large': 'h'.repeat(15_000), 'x-more': 'h'.repeat(1_500) })),
    status: 200,
    sample: 'status 200',
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
    ...delivered,
    what: 'a name with an address that is not public and one that is',
    target: atName('mixed.example.com'),
    status: 200,
    sample: '',
    requests: 1,
  },
  {
    ...noAnswer,
    what: 'a name without a public address',
    target: at('http://private.example.com'),
    errorClass: 'blocked',
  },
  {
    ...noAnswer,
    what: 'an address that is not public',
    target: at('http://10.1.2.3'),
    state: 'blocked',
    errorClass: 'blocked',
    waitMs: null,
  },
  {
    ...noAnswer,
    what: 'a name that is never public',
    target: at('http://receiver.invalid'),
    state: 'blocked',
    errorClass: 'blocked',
    waitMs: null,
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
    state,
    attemptCount: 1,
    status,
    errorClass,
    host: new URL(webhook.url).host,
    attemptsMax: defaultRetryScheduleMs.length + 1,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
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
