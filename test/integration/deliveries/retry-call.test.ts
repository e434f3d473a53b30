// A call of a retry: when it attempts, the effect of a cancellation, and a process that seemed dead but continues:
// its late records do not take a delivery from its new owner.
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryKey, DeliveryDocument } from '../../../lib/model/delivery.ts';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { retryDelivery } from '../../../activities/retry-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { deliveryLog } from '../../../lib/platform/logger.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { SendFault } from '../../../lib/egress/send-fault.ts';
import { resumeWebhook } from '../../support/resume.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let key: DeliveryKey;
/** What the receiver responds with immediately; null if it holds its responses. */
let status: number | null = null;
const held: ((status: number) => void)[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => {
      if (status === null) held.push((code) => response.writeHead(code).end());
      else response.writeHead(status).end();
    }),
  );
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

beforeEach(async () => {
  held.length = 0;
  status = null;
  const { appUid, _id: webhookUid } = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  key = { appUid, eventId, webhookUid };
});

afterAll(() => open[Symbol.asyncDispose]());

const inActivity = (by: DeliveryPorts, environment = new MockActivityEnvironment()) =>
  environment.run(() => retryDelivery(by, key));

interface Retry {
  environment: MockActivityEnvironment;
  outcome: Promise<unknown>;
}

function startCall(): Retry {
  const environment = new MockActivityEnvironment();
  const outcome = inActivity(ports, environment);
  outcome.catch(() => undefined);
  return { environment, outcome };
}

/** Calls the activity, and returns once its request has reached the receiver. */
async function startRetry(): Promise<Retry> {
  const retry = startCall();
  await waitFor(() => held.length === 1);
  return retry;
}

const stored = () => installation.store.deliveries.findOne(key);

test('an attempt that succeeds after the cancellation is recorded and reported', async () => {
  const retry = await startRetry();
  retry.environment.cancel('CANCELLED');
  held[0]?.(200);
  expect(await retry.outcome).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(await stored()).toMatchObject({ state: 'delivered', attemptCount: 1 });
});

test('after a failed attempt the cancelled activity ends, and the delivery is retrying', async () => {
  const retry = await startRetry();
  retry.environment.cancel('CANCELLED');
  held[0]?.(500);
  await expect(retry.outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(await stored()).toMatchObject({ state: 'retrying', attemptCount: 1 });
});

test('a stopping process interrupts the attempt without a record and does not log it as a fault', async () => {
  const retry = await startRetry();
  using faulted = jest.spyOn(deliveryLog, 'error');
  using logged = jest.spyOn(deliveryLog, 'info');
  retry.environment.cancel('WORKER_SHUTDOWN');
  // The SDK reports it to the server, which then calls another process.
  await expect(retry.outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(await stored()).toBeNull();
  expect(faulted).not.toHaveBeenCalled();
  const why = expect.objectContaining({ reason: 'WORKER_SHUTDOWN' });
  expect(logged).toHaveBeenCalledWith(why, 'activity.interrupted');
});

/** Calls the activity for a delivery that failed once and is due `inMs` from now. */
async function callEarly(inMs: number) {
  const due = new Date(Date.now() + inMs);
  const failed = { ...key, state: 'retrying', attemptCount: 1, nextAttemptAt: due } as const;
  await installation.store.deliveries.insertOne(newDelivery(installation, new Date(), failed));
  return { ...startCall(), due };
}

test('the call right after the first attempt reads nothing if the next attempt is due later', async () => {
  const read: string[] = [];
  const records = new Proxy(ports.records, {
    get: (all, name: keyof DeliveryPorts['records']) => {
      read.push(name);
      return all[name];
    },
  });
  const [eventId, webhookUid] = ['evt_1', 'whk_1'];
  const call = (inMs: number): Promise<unknown> => {
    const at = new Date(Date.now() + inMs).toISOString();
    const last = { attemptCount: 1, status: 503, errorClass: 'status' } as const;
    const target = { host: 'receiver.example.com', attemptsMax: 9 };
    const left = {
      eventId,
      webhookUid,
      state: 'later',
      why: 'retry',
      at,
      ...last,
      ...target,
    } as const;
    const input = { appUid: installation.app.appUid, eventId, webhookUid, left };
    const watched = { ...ports, records };
    return new MockActivityEnvironment().run(() => retryDelivery(watched, input));
  };
  const ended = 'attempt 1 of 9 at receiver.example.com: status 503';
  await expect(call(5_000)).rejects.toMatchObject({
    type: 'RetryDue',
    message: expect.stringContaining(ended),
  });
  expect(read).toEqual([]);
  await call(1_000);
  expect(read).toContain('readDelivery');
});

test('a call up to a second early attempts when the retry is due, not before', async () => {
  const retry = await callEarly(600);
  await waitFor(() => held.length === 1);
  expect(Date.now()).toBeGreaterThanOrEqual(retry.due.getTime());
  held[0]?.(200);
  expect(await retry.outcome).toMatchObject({ state: 'delivered', attemptCount: 2 });
});

test('an earlier call attempts nothing and requests a call at the time when the retry is due', async () => {
  const retry = await callEarly(5_000);
  const failure = await retry.outcome.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  const { nextRetryDelay } = failure as ApplicationFailure;
  expect(nextRetryDelay).toBeLessThanOrEqual(5_000);
  expect(Date.now() + Number(nextRetryDelay)).toBeGreaterThanOrEqual(retry.due.getTime());
  expect(held).toHaveLength(0);
});

test('a cancellation ends a call that waits until the retry is due', async () => {
  const retry = await callEarly(900);
  retry.environment.cancel('CANCELLED');
  await expect(retry.outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(held).toHaveLength(0);
  expect(await stored()).toMatchObject({ state: 'retrying', attemptCount: 1 });
});

const insert = (fields: Partial<DeliveryDocument>) =>
  installation.store.deliveries.insertOne(
    newDelivery(installation, new Date(), { ...key, ...fields }),
  );

const pause = () =>
  installation.store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: false } });

/** A process in which something happens in another process between its attempt and the record of it. */
const overtakenBy = (meanwhile: () => Promise<unknown>): DeliveryPorts => ({
  ...ports,
  records: {
    ...ports.records,
    async record(asked, step) {
      await meanwhile();
      return ports.records.record(asked, step);
    },
  },
});

const attempt = (by: DeliveryPorts) =>
  attemptDelivery(by, key, { caller: { kind: 'event' }, signal: new AbortController().signal });

/** Attempts whose outcome is recorded late. */
const lateSteps = {
  'is throttled': async (by: DeliveryPorts) => {
    const send = async () => {
      throw new SendFault('THROTTLED', 'too many requests to this receiver are under way');
    };
    return attempt({ ...by, sender: { ...by.sender, send } });
  },
  'finds its webhook paused': async (by: DeliveryPorts) => {
    await pause();
    return attempt(by);
  },
  fails: async (by: DeliveryPorts) => {
    status = 500;
    return attempt(by);
  },
};

const standings: [Partial<DeliveryDocument>, string][] = [
  [{ state: 'held' }, 'held'],
  [{ state: 'cancelled' }, 'cancelled'],
  [{ state: 'delivered', attemptCount: 1 }, 'delivered'],
  [{ state: 'pending', jobUid: 'job_1', jobPage: 1 }, 'continued'],
  [{ state: 'delivered', attemptCount: 1, jobUid: 'job_1', jobPage: 1 }, 'delivered'],
];

test.each(
  Object.entries(lateSteps).flatMap(([what, step]) =>
    standings.map(([standing, reported]) => ({ what, step, standing, reported })),
  ),
)(
  'a first attempt that $what does not change a delivery that is $standing by then',
  async ({ step, standing, reported }) => {
    const outcome = await step(overtakenBy(() => insert(standing)));
    expect(outcome.state).toBe(reported);
    expect(await installation.store.deliveries.findOne(key)).toMatchObject(standing);
  },
);

test('the next page of a release takes a delivery that is held after the resume', async () => {
  await pause();
  let jobUid = '';
  const overtaken = overtakenBy(async () => {
    const resumed = await resumeWebhook(ports, key);
    expect(resumed.page).toMatchObject({ events: [], isLast: false });
    ({ jobUid } = resumed);
  });
  expect(await attempt(overtaken)).toMatchObject({ state: 'held' });
  const { eventId, webhookUid } = key;
  expect(await takeJobPage(ports, { jobUid, page: 2 })).toMatchObject({
    events: [{ eventId, webhookUids: [webhookUid] }],
    isLast: false,
  });
});

test('a retry that finds another process ahead is repeated until the delivery is settled', async () => {
  status = 200;
  await pause();
  // The other process is killed after this step.
  const overtaken = overtakenBy(() => insert({ state: 'pending', attemptCount: 1 }));
  await expect(inActivity(overtaken)).rejects.toMatchObject({
    type: 'InFlightElsewhere',
    message: expect.stringContaining('another process may be making the attempt'),
  });
  const { webhooks } = installation.store;
  await webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: true } });
  expect(await inActivity(ports)).toMatchObject({ state: 'delivered', attemptCount: 2 });
});
