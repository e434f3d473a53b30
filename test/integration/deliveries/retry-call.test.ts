// A call of a retry: when it attempts, and the effect of a cancellation.
import { afterAll, beforeAll, beforeEach, expect, vi, test } from 'vitest';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { retryDelivery } from '../../../activities/retry-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { deliveryLog } from '../../../lib/platform/logger.ts';
import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

let installation: Installation;
let sender: Sender;
let receiver: Receiver;
let ports: DeliveryPorts;
let held: ((status: number) => void)[] = [];

beforeAll(async () => {
  installation = await createInstallation();
  sender = createHttpSender({ policy: installation.config.egress });
  receiver = await startReceiver((response) => {
    held.push((status) => response.writeHead(status).end());
  });
  ports = deliveryPorts(installation, { sender });
});

afterAll(async () => {
  await sender?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  held = [];
});

interface Retry {
  environment: MockActivityEnvironment;
  eventId: string;
  outcome: Promise<unknown>;
}

/** Calls the activity, and returns once its request has reached the receiver. */
async function startRetry(): Promise<Retry> {
  const { app } = installation;
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhook._id]);
  const environment = new MockActivityEnvironment();
  const input = { appUid: app.appUid, eventId, webhookUid: webhook._id };
  const outcome = environment.run(() => retryDelivery(ports, input));
  outcome.catch(() => undefined);
  await waitFor(() => held.length === 1);
  return { environment, eventId, outcome };
}

const stored = async ({ eventId }: Retry) => installation.store.deliveries.findOne({ eventId });

test('an attempt that succeeds after the cancellation is recorded and reported', async () => {
  const retry = await startRetry();
  retry.environment.cancel('CANCELLED');
  held[0]?.(200);
  expect(await retry.outcome).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(await stored(retry)).toMatchObject({ state: 'delivered', attemptCount: 1 });
});

test('after a failed attempt the cancelled activity ends, and the delivery is retrying', async () => {
  const retry = await startRetry();
  retry.environment.cancel('CANCELLED');
  held[0]?.(500);
  await expect(retry.outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(await stored(retry)).toMatchObject({ state: 'retrying', attemptCount: 1 });
});

test('a stopping process interrupts the attempt without a record and does not log it as a fault', async () => {
  const retry = await startRetry();
  using faulted = vi.spyOn(deliveryLog, 'error');
  using logged = vi.spyOn(deliveryLog, 'info');
  retry.environment.cancel('WORKER_SHUTDOWN');
  // The SDK reports it to the server, which then calls another process.
  await expect(retry.outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(await stored(retry)).toBeNull();
  expect(faulted).not.toHaveBeenCalled();
  const why = expect.objectContaining({ reason: 'WORKER_SHUTDOWN' });
  expect(logged).toHaveBeenCalledWith(why, 'activity.interrupted');
});

/** Calls the activity for a delivery that failed once and is due `inMs` from now. */
async function callEarly(inMs: number) {
  const { app, store } = installation;
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhook._id]);
  const environment = new MockActivityEnvironment();
  const input = { appUid: app.appUid, eventId, webhookUid: webhook._id };
  const due = new Date(Date.now() + inMs);
  const failed = { ...input, state: 'retrying', attemptCount: 1, nextAttemptAt: due } as const;
  await store.deliveries.insertOne(newDelivery(installation, new Date(), failed));
  const outcome = environment.run(() => retryDelivery(ports, input));
  outcome.catch(() => undefined);
  return { environment, eventId, outcome, due };
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
    const nextAttemptAt = new Date(Date.now() + inMs).toISOString();
    const last = { attemptCount: 1, status: 503, errorClass: 'status' } as const;
    const target = { host: 'receiver.example.com', attemptsMax: 9 };
    const left = {
      eventId,
      webhookUid,
      state: 'retrying',
      ...last,
      ...target,
      nextAttemptAt,
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
  expect(await stored(retry)).toMatchObject({ state: 'retrying', attemptCount: 1 });
});
