// First attempts right after the commit, independent of their workflow: their requirements, and who uses their result.
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { EarlyAttempts } from '../../../lib/deliveries/early-attempts.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { attemptLimits } from '../../../lib/limits.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import type { FirstAttempts } from '../../../lib/temporal/messages.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
/** Ends the responses that the receiver holds. Null if it responds immediately. */
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

/** Records an event that the process of `earlyAttempts` has claimed. */
async function recorded(earlyAttempts: EarlyAttempts, fields: Partial<WebhookDocument> = {}) {
  const webhook = await insertWebhook(installation, { url: receiver.url, ...fields });
  const claim = earlyAttempts.claim();
  const event = {
    ...newEvent(installation, [webhook._id], ports.clock.now()),
    firstAttempt: claim,
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
  earlyAttempts: EarlyAttempts | null,
): Promise<FirstAttempts> {
  const input = { deliveries: [keyOf(subject)] };
  return new MockActivityEnvironment().run(() => attemptFirst(process, input, earlyAttempts));
}

test('the workflow uses the result of an attempt in flight, which is not made again', async () => {
  held = [];
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  earlyAttempts.begin(subject.event, [subject.webhook], subject.event.createdAt);
  const attempting = firstAttempt(subject, ports, earlyAttempts);
  await waitFor(() => held?.length === 1);
  held[0]?.();
  expect(await attempting).toMatchObject({ settled: { delivered: 1 }, later: [] });
  expect(requestsOf(subject)).toHaveLength(1);
  // A result is kept for one use.
  expect(await earlyAttempts.take(keyOf(subject))).toBeNull();
});

test('the workflow uses the result of a failed attempt, with its host and the time of the next', async () => {
  status = 500;
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  earlyAttempts.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await earlyAttempts.end();
  const { later } = await firstAttempt(subject, ports, earlyAttempts);
  const { host } = new URL(subject.webhook.url);
  const at = (await attempted(subject)).nextAttemptAt?.toISOString();
  expect(later).toMatchObject([{ host, attemptCount: 1, status: 500, why: 'retry', at }]);
  expect(requestsOf(subject)).toHaveLength(1);
});

test('only the process that recorded the event makes the attempt until its claim ends, and then only another', async () => {
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  const other = { ...ports, processUid: 'prc_other' };
  const until = subject.event.firstAttempt?.until ?? new Date(0);
  const at = until.toISOString();
  expect(await firstAttempt(subject, other, null)).toMatchObject({
    settled: { deliveries: 0 },
    later: [{ attemptCount: 0, why: 'inFlightElsewhere', at }],
  });
  expect(requestsOf(subject)).toHaveLength(0);
  const claimedMs = until.getTime() - subject.event.createdAt.getTime();
  expect(Math.abs(claimedMs - attemptLimits.firstAttemptClaimMs)).toBeLessThan(1_000);
  const later = { ...other, clock: { now: () => until } };
  const late = new EarlyAttempts({ ...ports, clock: later.clock });
  late.begin(subject.event, [subject.webhook], subject.event.createdAt);
  expect(await late.take(keyOf(subject))).toBeNull();
  expect(await firstAttempt(subject, later, null)).toMatchObject({ settled: { delivered: 1 } });
});

/** Starts as many attempts at a webhook as it has permits, and one more, whose event is returned. */
async function crowd(earlyAttempts: EarlyAttempts): Promise<Recorded> {
  held = [];
  const first = await recorded(earlyAttempts);
  const { webhook } = first;
  const count = attemptLimits.permitsPerWebhookMax;
  const events = Array.from({ length: count }, () => ({
    ...newEvent(installation, [webhook._id], ports.clock.now()),
    firstAttempt: first.event.firstAttempt,
  }));
  await installation.store.events.insertMany(events);
  for (const event of [first.event, ...events])
    earlyAttempts.begin(event, [webhook], event.createdAt);
  await waitFor(() => held?.length === count);
  return { event: events.at(-1) ?? first.event, webhook };
}

test('a throttled attempt is not recorded, and the workflow makes it', async () => {
  const earlyAttempts = new EarlyAttempts(ports);
  const last = await crowd(earlyAttempts);
  expect(await earlyAttempts.take(keyOf(last))).toBeNull();
  const eventId = last.event._id;
  expect(await installation.store.deliveries.findOne({ eventId })).toBeNull();
  const attempting = firstAttempt(last, ports, earlyAttempts);
  for (const answer of held ?? []) answer();
  held = null;
  expect(await attempting).toMatchObject({ settled: { delivered: 1 } });
});

test('above a limit of payloads in memory, attempts are left to the workflows', async () => {
  held = [];
  const earlyAttempts = new EarlyAttempts(ports);
  const large = await recorded(earlyAttempts);
  const body = 'x'.repeat(attemptLimits.earlyAttemptBytesMax);
  earlyAttempts.begin({ ...large.event, body }, [large.webhook], large.event.createdAt);
  const next = await recorded(earlyAttempts);
  earlyAttempts.begin(next.event, [next.webhook], next.event.createdAt);
  expect(await earlyAttempts.take(keyOf(next))).toBeNull();
  await waitFor(() => held?.length === 1);
  held[0]?.();
  await earlyAttempts.end();
  expect(requestsOf(next)).toHaveLength(0);
});

test('an event that is not claimed is left to its workflow', async () => {
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  subject.event.firstAttempt = null;
  earlyAttempts.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await earlyAttempts.end();
  expect(await earlyAttempts.take(keyOf(subject))).toBeNull();
  expect(requestsOf(subject)).toHaveLength(0);
  expect(await firstAttempt(subject, ports, earlyAttempts)).toMatchObject({
    settled: { delivered: 1 },
  });
});

/** Records events of one partition, claimed by the process of `earlyAttempts`. */
async function inOrder(earlyAttempts: EarlyAttempts, count: number): Promise<Recorded[]> {
  const first = await recorded(earlyAttempts, { ordering: 'resource' });
  const { webhook, event } = first;
  const { firstAttempt: claim, resourceUid } = event;
  const others = Array.from({ length: count - 1 }, () => ({
    event: {
      ...newEvent(installation, [webhook._id], ports.clock.now()),
      firstAttempt: claim,
      resourceUid,
    },
    webhook,
  }));
  await installation.store.events.insertMany(others.map((other) => other.event));
  for (const subject of [first, ...others]) {
    const { n } = await giveNumber(installation, subject.event, webhook._id);
    subject.event.order.push({ webhookUid: webhook._id, n });
  }
  return [first, ...others];
}

function beginAll(earlyAttempts: EarlyAttempts, subjects: readonly Recorded[]): void {
  for (const { event, webhook } of subjects) earlyAttempts.begin(event, [webhook], event.createdAt);
}

test('the events of a partition are attempted one after another, without their workflows', async () => {
  held = [];
  const earlyAttempts = new EarlyAttempts(ports);
  const subjects = await inOrder(earlyAttempts, 3);
  beginAll(earlyAttempts, subjects);
  for (const [index, subject] of subjects.entries()) {
    await waitFor(() => held?.length === index + 1);
    expect(requestsOf(subject)).toHaveLength(1);
    held[index]?.();
  }
  for (const subject of subjects) {
    expect(await earlyAttempts.take(keyOf(subject))).toMatchObject({ state: 'delivered' });
  }
});

test('after a failed attempt, it and the events after it are left to the partition', async () => {
  status = 500;
  const earlyAttempts = new EarlyAttempts(ports);
  const [failed, next] = await inOrder(earlyAttempts, 2);
  if (failed === undefined || next === undefined) throw new Error('there are two');
  beginAll(earlyAttempts, [failed, next]);
  for (const subject of [next, failed]) {
    expect(await firstAttempt(subject, ports, earlyAttempts)).toMatchObject({
      settled: { continued: 1 },
    });
  }
  expect(requestsOf(failed)).toHaveLength(1);
  expect(requestsOf(next)).toHaveLength(0);
});

test('a stopping process ends its drain after the attempt in flight', async () => {
  held = [];
  const earlyAttempts = new EarlyAttempts(ports);
  const [first, late] = await inOrder(earlyAttempts, 2);
  if (first === undefined || late === undefined) throw new Error('there are two');
  beginAll(earlyAttempts, [first, late]);
  await waitFor(() => held?.length === 1);
  const ended = earlyAttempts.end();
  held[0]?.();
  await ended;
  held = null;
  expect(requestsOf(late)).toHaveLength(0);
  expect(await firstAttempt(first, ports, earlyAttempts)).toMatchObject({
    settled: { delivered: 1 },
  });
  expect(await firstAttempt(late, ports, earlyAttempts)).toMatchObject({
    settled: { continued: 1 },
  });
});

test('a stopping process claims and starts nothing, and waits for attempts in flight', async () => {
  held = [];
  const earlyAttempts = new EarlyAttempts(ports);
  const [under, late] = [await recorded(earlyAttempts), await recorded(earlyAttempts)];
  earlyAttempts.begin(under.event, [under.webhook], under.event.createdAt);
  await waitFor(() => held?.length === 1);
  const ended = earlyAttempts.end();
  expect(earlyAttempts.claim()).toBeNull();
  earlyAttempts.begin(late.event, [late.webhook], late.event.createdAt);
  held[0]?.();
  await ended;
  expect(await attempted(under)).toMatchObject({ state: 'delivered' });
  expect(requestsOf(late)).toHaveLength(0);
});

test('a webhook that has changed since it was read is left to the workflow', async () => {
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  const { event, webhook } = subject;
  const { store } = installation;
  await store.webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } });
  const createdAt = new Date(event.createdAt.getTime() - attemptLimits.factsFreshMs - 1);
  earlyAttempts.begin({ ...event, createdAt }, [webhook], createdAt);
  await earlyAttempts.end();
  expect(requestsOf(subject)).toHaveLength(0);
  expect(await firstAttempt(subject, ports, earlyAttempts)).toMatchObject({ settled: { held: 1 } });
});

test('a delivery that a job sends again does not count as the first attempt', async () => {
  const earlyAttempts = new EarlyAttempts(ports);
  const subject = await recorded(earlyAttempts);
  earlyAttempts.begin(subject.event, [subject.webhook], subject.event.createdAt);
  await attempted(subject);
  await earlyAttempts.end();
  const { eventId } = keyOf(subject);
  const again = { jobUid: 'job_1', jobPage: 1, state: 'pending', scheduleFrom: 1 } as const;
  await installation.store.deliveries.updateOne({ eventId }, { $set: again });
  const input = { jobUid: 'job_1', deliveries: [keyOf(subject)] };
  await new MockActivityEnvironment().run(() => attemptFirst(ports, input, earlyAttempts));
  expect(requestsOf(subject)).toHaveLength(2);
});
