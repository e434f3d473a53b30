// The fate of every change: compares events and delivery documents with the requests that the receivers got.
import { factsOnly } from '../../lib/events/events.ts';
import { defaultRetryScheduleMs } from '../../lib/webhooks/retry-schedule.ts';
import type { Attempt } from '../../lib/model/attempt.ts';
import type { CancelReason } from '../../lib/model/cancel-reason.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { EventDocument, EventFacts } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Receipt } from './light-ends.ts';

type JudgedDelivery = Pick<
  DeliveryDocument,
  'eventId' | 'webhookUid' | 'externalTenantId' | 'state' | 'cancelReason' | 'nextAttemptAt'
> & { attempts: Pick<Attempt, 'status'>[] };

export interface Records {
  events: readonly Pick<EventDocument, '_id' | 'webhookUids'>[];
  deliveries: readonly JudgedDelivery[];
  /** A time before the deliveries were read. */
  readAtMs: number;
}

/** What the run did itself, and so may have caused. */
type Cause = CancelReason | 'paused';

export interface RunFacts {
  receipts: readonly Receipt[];
  /** Indexed by the number of the webhook in the receipts. */
  webhookUids: readonly string[];
  /** The events whose changes got a 2xx. */
  acknowledged?: readonly string[];
  /** The default is that of the default schedule. */
  attemptsMax?: number;
  causesOf?: (delivery: Pick<JudgedDelivery, 'externalTenantId'>) => readonly Cause[];
}

interface Judgement {
  /** Acknowledged events without a document, and deliveries whose document is missing or untrue. */
  untrue: string[];
  /** The open deliveries with an attempt that is due, now or later. */
  due: number;
}

/** A request of 5 s, and a busy machine. */
const justDueMs = 10_000;

/** Returns untrue records: each event and delivery must be recorded, in a true final state or with a due attempt. */
export function judgeDeliveries(records: Records, facts: RunFacts): Judgement {
  const found = new Map(records.deliveries.map((each) => [keyOf(each), each]));
  const statuses = statusesByDelivery(facts);
  const recorded = new Set(records.events.map(({ _id }) => _id));
  const untrue = (facts.acknowledged ?? [])
    .filter((eventId) => !recorded.has(eventId))
    .map((eventId) => `${eventId} acknowledged, and not recorded`);
  let due = 0;
  for (const { _id: eventId, webhookUids } of records.events) {
    for (const webhookUid of webhookUids) {
      const key = keyOf({ eventId, webhookUid });
      const delivery = found.get(key);
      const given = statuses.get(key) ?? [];
      if (delivery === undefined) untrue.push(`${key} no document`);
      else if (isDue(delivery, records.readAtMs)) due += 1;
      else if (!isTrue(delivery, given, facts)) untrue.push(`${key} ${describe(delivery, given)}`);
    }
  }
  return { untrue, due };
}

function keyOf({ eventId, webhookUid }: { eventId: string; webhookUid: string }): string {
  return `${eventId}/${webhookUid}`;
}

/** The statuses that the receiver responded with, in order. */
function statusesByDelivery({ receipts, webhookUids }: RunFacts): Map<string, number[]> {
  const statuses = new Map<string, number[]>();
  for (const { eventId, hook, status } of receipts) {
    const key = keyOf({ eventId, webhookUid: String(webhookUids[hook]) });
    const known = statuses.get(key);
    if (known === undefined) statuses.set(key, [status]);
    else known.push(status);
  }
  return statuses;
}

function isDue({ state, nextAttemptAt }: JudgedDelivery, readAtMs: number): boolean {
  if (state !== 'retrying' && state !== 'pending') return false;
  return nextAttemptAt !== null && nextAttemptAt.getTime() >= readAtMs - justDueMs;
}

function isTrue(
  delivery: JudgedDelivery,
  given: readonly number[],
  { attemptsMax = defaultRetryScheduleMs.length + 1, causesOf = () => [] }: RunFacts,
): boolean {
  const { state, cancelReason, attempts } = delivery;
  const claimed = attempts.filter(({ status }) => isSuccess(status)).length;
  const succeeded = given.filter(isSuccess).length;
  switch (state) {
    case 'delivered':
      return claimed > 0 && claimed <= succeeded;
    case 'exhausted':
      return given.includes(410) || given.length - succeeded >= attemptsMax;
    case 'cancelled':
      return cancelReason !== null && causesOf(delivery).includes(cancelReason);
    case 'held':
      return causesOf(delivery).includes('paused');
    // No run has a blocked address.
    case 'blocked':
    // It was still pending after the wait for quiet.
    case 'pending':
    case 'retrying':
      break;
  }
  return false;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function describe(delivery: JudgedDelivery, given: readonly number[]): string {
  const { state, cancelReason, nextAttemptAt } = delivery;
  const detail = cancelReason ?? nextAttemptAt?.toISOString();
  return `${state}${detail === undefined ? '' : ` ${detail}`}, responses: ${given.join() || 'none'}`;
}

/** The result of a run. */
export interface Verdict extends ReturnType<typeof judgeDeliveries> {
  committedEvents: number;
  deliveries: number;
  /** At the ordered webhook. */
  outOfOrder: string[];
  /** Requests after the first that got a 2xx. */
  duplicates: number;
  /** The longest time from a change to its first request at a webhook. */
  latestFirstAttemptMs: number;
  /** The same, but counted from the end of the last fault before the request if that is later. */
  latestAfterFaultMs: number;
}

interface Evidence extends RunFacts {
  faultEndsMs: readonly number[];
}

/** Compares the committed events with the received requests and the records. */
export async function judge(store: Store, evidence: Evidence): Promise<Verdict> {
  const { receipts, webhookUids, faultEndsMs } = evidence;
  const events = await store.events.find({}, { projection: factsOnly }).toArray();
  const readAtMs = Date.now();
  const projection = { eventId: 1, webhookUid: 1, externalTenantId: 1, state: 1, cancelReason: 1 };
  const deliveries = await store.deliveries
    .find({}, { projection: { ...projection, nextAttemptAt: 1, 'attempts.status': 1 } })
    .toArray();
  const first = firstTimes(receipts, webhookUids);
  const taken = receipts.filter(({ status }) => status < 300);
  const firstTaken = firstTimes(taken, webhookUids);
  let latestFirstAttemptMs = 0;
  let latestAfterFaultMs = 0;
  for (const event of events) {
    for (const webhookUid of event.webhookUids) {
      const atMs = first.get(`${event._id}/${webhookUid}`);
      if (atMs === undefined) continue;
      const changedMs = event.createdAt.getTime();
      const faultMs = faultEndsMs.findLast((endMs) => endMs <= atMs) ?? 0;
      latestFirstAttemptMs = Math.max(latestFirstAttemptMs, atMs - changedMs);
      latestAfterFaultMs = Math.max(latestAfterFaultMs, atMs - Math.max(changedMs, faultMs));
    }
  }
  return {
    committedEvents: events.length,
    deliveries: first.size,
    ...judgeDeliveries({ events, deliveries, readAtMs }, evidence),
    outOfOrder: outOfOrder(events, { first, firstTaken, orderedUid: String(webhookUids[0]) }),
    duplicates: taken.length - firstTaken.size,
    latestFirstAttemptMs,
    latestAfterFaultMs,
  };
}

/** Returns the time of the first receipt of each delivery. */
function firstTimes(
  receipts: readonly Receipt[],
  webhookUids: readonly string[],
): Map<string, number> {
  const first = new Map<string, number>();
  for (const { eventId, hook, atMs } of receipts) {
    const key = `${eventId}/${webhookUids[hook]}`;
    if (!first.has(key)) first.set(key, atMs);
  }
  return first;
}

interface Times {
  /** The time of the first request of each delivery. */
  first: ReadonlyMap<string, number>;
  /** The time of the first request that got a 2xx. */
  firstTaken: ReadonlyMap<string, number>;
  orderedUid: string;
}

/** Returns the events whose first request arrived before an earlier one about the same resource had got a 2xx. */
export function outOfOrder(
  events: readonly Pick<EventFacts, '_id' | 'entity' | 'resourceUid' | 'sequence'>[],
  { first, firstTaken, orderedUid }: Times,
): string[] {
  const overtaken: string[] = [];
  const latest = new Map<string, number>();
  for (const event of events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))) {
    const key = `${event._id}/${orderedUid}`;
    const resource = `${event.entity}/${event.resourceUid}`;
    const latestMs = latest.get(resource) ?? 0;
    if ((first.get(key) ?? Infinity) < latestMs) overtaken.push(`${event._id} ${resource}`);
    latest.set(resource, Math.max(latestMs, firstTaken.get(key) ?? 0));
  }
  return overtaken;
}
