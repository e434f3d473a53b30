// First attempts right after the commit, apart from their workflow: what they need, and who takes up their outcome.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { HeadStart } from '../../../lib/deliveries/head-start.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { attemptLimits } from '../../../lib/limits.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import type { FirstAttempts } from '../../../lib/temporal/messages.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { giveTurn } from '../../support/give-turn.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
/** Ends the answers that the receiver holds; null where it answers immediately. */
let held: (() => void)[] | null = null;
let status = 200;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => {
      const answer = (): void => {
        if (!response.headersSent) response.writeHead(status).end();
      };
      if (held === null) answer();
      else held.push(answer);
    }),
  );
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

afterEach(() => {
  for (const answer of held ?? []) answer();
  held = null;
  status = 200;
});

afterAll(() => open[Symbol.asyncDispose]());

interface Recorded {
  event: EventDocument;
  webhook: WebhookDocument;
}

/** Records an event that the process of `headStart` has claimed. */
async function recorded(headStart: HeadStart, fields: Partial<WebhookDocument> = {}) {
  const webhook = await insertWebhook(installation, { url: receiver.url, ...fields });
  const headStartClaim = headStart.claim();
  const event = {
    ...newEvent(installation, [webhook._id], ports.clock.now()),
    headStart: headStartClaim,
  };
  await installation.store.events.insertOne(event);
  return { event, webhook };
}

const keyOf = ({ event, webhook }: Recorded) => ({
  appUid: event.appUid,
  eventId: event._id,
  webhookUid: webhook._id,
});

const requestsOf = ({ event }: Recorded) =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === event._id);

const attempted = (subject: Recorded) =>
  waitFor(async () => {
    const found = await installation.store.deliveries.findOne({ eventId: subject.event._id });
    return found ?? undefined;
  });

/** Runs the activity of an event's workflow in a process. */
function firstAttempt(
  subject: Recorded,
  process: DeliveryPorts,
  headStart: HeadStart | null,
): Promise<FirstAttempts> {
  const { appUid, ...delivery } = keyOf(subject);
  const input = { appUid, deliveries: [delivery] };
  return new MockActivityEnvironment().run(() => attemptFirst(process, input, headStart));
}

test('an attempt under way is taken up by the workflow, and is not made again', async () => {
  held = [];
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  const attempting = firstAttempt(subject, ports, headStart);
  await waitFor(() => held?.length === 1);
  held[0]?.();
  expect(await attempting).toMatchObject({ settled: { delivered: 1 }, retrying: [] });
  expect(requestsOf(subject)).toHaveLength(1);
});

test('a failed attempt that has ended is taken up with its host and the time of the next', async () => {
  status = 500;
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await headStart.end();
  const { retrying } = await firstAttempt(subject, ports, headStart);
  const { host } = new URL(subject.webhook.url);
  const nextAttemptAt = (await attempted(subject)).nextAttemptAt?.toISOString();
  expect(retrying).toMatchObject([{ host, attemptCount: 1, status: 500, nextAttemptAt }]);
  expect(requestsOf(subject)).toHaveLength(1);
});

test('another process leaves the attempt to the one that recorded the event, until its claim ends', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  const other = { ...ports, processUid: 'prc_other' };
  const until = subject.event.headStart?.until ?? new Date(0);
  const nextAttemptAt = until.toISOString();
  expect(await firstAttempt(subject, other, null)).toMatchObject({
    settled: { deliveries: 0 },
    retrying: [{ attemptCount: 0, nextAttemptAt }],
  });
  expect(requestsOf(subject)).toHaveLength(0);
  const claimedMs = until.getTime() - subject.event.createdAt.getTime();
  expect(Math.abs(claimedMs - attemptLimits.headStartMs)).toBeLessThan(1_000);
  const later = { ...other, clock: { now: () => until } };
  expect(await firstAttempt(subject, later, null)).toMatchObject({ settled: { delivered: 1 } });
});

/** Begins as many attempts at a webhook as it has permits, and one more, whose event is returned. */
async function crowd(headStart: HeadStart): Promise<Recorded> {
  held = [];
  const first = await recorded(headStart);
  const { webhook } = first;
  const count = attemptLimits.permitsPerWebhookMax;
  const events = Array.from({ length: count }, () => ({
    ...newEvent(installation, [webhook._id], ports.clock.now()),
    headStart: first.event.headStart,
  }));
  await installation.store.events.insertMany(events);
  for (const event of [first.event, ...events]) headStart.begin(event, [webhook], event.createdAt);
  await waitFor(() => held?.length === count);
  return { event: events.at(-1) ?? first.event, webhook };
}

test('an attempt waits for a permit', async () => {
  const headStart = new HeadStart(ports);
  const last = await crowd(headStart);
  expect(requestsOf(last)).toHaveLength(0);
  held?.[0]?.();
  await waitFor(() => requestsOf(last).length === 1);
});

test('a throttled attempt is not recorded, and the workflow makes it', async () => {
  const headStart = new HeadStart(ports);
  const last = await crowd(headStart);
  expect(await headStart.take(keyOf(last))).toBeNull();
  const eventId = last.event._id;
  expect(await installation.store.deliveries.findOne({ eventId })).toBeNull();
  const attempting = firstAttempt(last, ports, headStart);
  for (const answer of held ?? []) answer();
  held = null;
  expect(await attempting).toMatchObject({ settled: { delivered: 1 } });
});

test('beyond a limit of payloads in memory attempts are left to the workflows', async () => {
  held = [];
  const headStart = new HeadStart(ports);
  const large = await recorded(headStart);
  const body = 'x'.repeat(attemptLimits.headStartBytesMax);
  headStart.begin({ ...large.event, body }, [large.webhook], large.event.createdAt);
  const next = await recorded(headStart);
  headStart.begin(next.event, [next.webhook], next.event.createdAt);
  expect(await headStart.take(keyOf(next))).toBeNull();
  await waitFor(() => held?.length === 1);
  held[0]?.();
  await headStart.end();
  expect(requestsOf(next)).toHaveLength(0);
});

test('an event for a paused webhook is held', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart, { active: false });
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await headStart.end();
  expect(await attempted(subject)).toMatchObject({ state: 'held', attemptCount: 0 });
  expect(requestsOf(subject)).toHaveLength(0);
});

test('an event that is not claimed is left to its workflow', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  subject.event.headStart = null;
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await headStart.end();
  expect(await headStart.take(keyOf(subject))).toBeNull();
  expect(requestsOf(subject)).toHaveLength(0);
  expect(await firstAttempt(subject, ports, headStart)).toMatchObject({
    settled: { delivered: 1 },
  });
});

/** Records events of one partition, claimed by the process of `headStart`. */
async function inOrder(headStart: HeadStart, count: number): Promise<Recorded[]> {
  const first = await recorded(headStart, { ordering: 'resource' });
  const { webhook, event } = first;
  const { headStart: claim, resourceUid } = event;
  const others = Array.from({ length: count - 1 }, () => ({
    event: {
      ...newEvent(installation, [webhook._id], ports.clock.now()),
      headStart: claim,
      resourceUid,
    },
    webhook,
  }));
  await installation.store.events.insertMany(others.map((other) => other.event));
  for (const subject of [first, ...others]) {
    const { n } = await giveTurn(installation, subject.event, webhook._id);
    subject.event.order.push({ webhookUid: webhook._id, n });
  }
  return [first, ...others];
}

function beginAll(headStart: HeadStart, subjects: readonly Recorded[]): void {
  for (const { event, webhook } of subjects) headStart.begin(event, [webhook], event.createdAt);
}

test('the events of a partition are attempted one after another, without their workflows', async () => {
  held = [];
  const headStart = new HeadStart(ports);
  const subjects = await inOrder(headStart, 3);
  beginAll(headStart, subjects);
  for (const [index, subject] of subjects.entries()) {
    await waitFor(() => held?.length === index + 1);
    expect(requestsOf(subject)).toHaveLength(1);
    held[index]?.();
  }
  for (const subject of subjects) {
    expect(await headStart.take(keyOf(subject))).toMatchObject({ state: 'delivered' });
  }
});

test('another process leaves an event in order to the process that recorded it, then to the partition', async () => {
  const [subject] = await inOrder(new HeadStart(ports), 2);
  if (subject === undefined) throw new Error('there are two');
  const other = { ...ports, processUid: 'prc_other' };
  const until = subject.event.headStart?.until ?? new Date(0);
  expect(await firstAttempt(subject, other, null)).toMatchObject({
    settled: { deliveries: 0 },
    retrying: [{ attemptCount: 0, nextAttemptAt: until.toISOString() }],
  });
  const later = { ...other, clock: { now: () => until } };
  expect(await firstAttempt(subject, later, null)).toMatchObject({ settled: { waiting: 1 } });
  expect(requestsOf(subject)).toHaveLength(0);
});

test('after a failed attempt it and the events behind it are left to the partition', async () => {
  status = 500;
  const headStart = new HeadStart(ports);
  const [failed, next] = await inOrder(headStart, 2);
  if (failed === undefined || next === undefined) throw new Error('there are two');
  beginAll(headStart, [failed, next]);
  for (const subject of [next, failed]) {
    expect(await firstAttempt(subject, ports, headStart)).toMatchObject({
      settled: { waiting: 1 },
    });
  }
  expect(requestsOf(failed)).toHaveLength(1);
  expect(requestsOf(next)).toHaveLength(0);
});

test('a process that stops ends its drain after the attempt in flight', async () => {
  held = [];
  const headStart = new HeadStart(ports);
  const [first, late] = await inOrder(headStart, 2);
  if (first === undefined || late === undefined) throw new Error('there are two');
  beginAll(headStart, [first, late]);
  await waitFor(() => held?.length === 1);
  const ended = headStart.end();
  held[0]?.();
  await ended;
  held = null;
  expect(requestsOf(late)).toHaveLength(0);
  expect(await firstAttempt(first, ports, headStart)).toMatchObject({ settled: { delivered: 1 } });
  expect(await firstAttempt(late, ports, headStart)).toMatchObject({ settled: { waiting: 1 } });
});

test('a process that stops claims and begins nothing, and waits for what is under way', async () => {
  held = [];
  const headStart = new HeadStart(ports);
  const [under, late] = [await recorded(headStart), await recorded(headStart)];
  headStart.begin(under.event, [under.webhook], under.event.createdAt);
  await waitFor(() => held?.length === 1);
  const ended = headStart.end();
  expect(headStart.claim()).toBeNull();
  headStart.begin(late.event, [late.webhook], late.event.createdAt);
  held[0]?.();
  await ended;
  expect(await attempted(under)).toMatchObject({ state: 'delivered' });
  expect(requestsOf(late)).toHaveLength(0);
});

test('a webhook that was read a while ago and has changed is left to the workflow', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  const { event, webhook } = subject;
  const { store } = installation;
  await store.webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } });
  const createdAt = new Date(event.createdAt.getTime() - attemptLimits.factsFreshMs - 1);
  headStart.begin({ ...event, createdAt }, [webhook], createdAt);
  await headStart.end();
  expect(requestsOf(subject)).toHaveLength(0);
  expect(await firstAttempt(subject, ports, headStart)).toMatchObject({ settled: { held: 1 } });
});

test('what a job sends again is not taken for the first attempt', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await attempted(subject);
  await headStart.end();
  const { eventId } = keyOf(subject);
  const again = { jobUid: 'job_1', jobPage: 1, state: 'pending', scheduleFrom: 1 } as const;
  await installation.store.deliveries.updateOne({ eventId }, { $set: again });
  const { appUid, ...delivery } = keyOf(subject);
  const input = { appUid, jobUid: 'job_1', deliveries: [delivery] };
  const sendAgain = () => attemptFirst(ports, input, headStart);
  await new MockActivityEnvironment().run(sendAgain);
  expect(requestsOf(subject)).toHaveLength(2);
});

test('what this process has forgotten is read from the database', async () => {
  const headStart = new HeadStart(ports);
  const subject = await recorded(headStart);
  headStart.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await headStart.end();
  const forgetful = new HeadStart(ports);
  expect(await firstAttempt(subject, ports, forgetful)).toMatchObject({
    settled: { delivered: 1 },
  });
  expect(requestsOf(subject)).toHaveLength(1);
});
