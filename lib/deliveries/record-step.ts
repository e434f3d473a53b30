// Records a step of a delivery. Only the owner writes, and only if nothing changed since it read the delivery.
import { limits } from '../limits.ts';
import type { DeliveryOutcome, Ending } from '../model/delivery-outcome.ts';
import type { DeliveryKey, DeliveryStep, DeliveryToAttempt } from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionId, partitionNumberOf } from '../model/partition.ts';
import { deliveryLog } from '../platform/logger.ts';
import { type AttemptCaller, endingOf, type Standing } from './decide.ts';
import type { DeliveryRecords } from './delivery-records.ts';
import { reportAfter, reportOf } from './delivery-report.ts';

/** A delivery as an attempt found it. */
export interface Found {
  key: DeliveryKey;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt;
  caller: AttemptCaller;
}

type MadeStep = Pick<DeliveryStep, 'state' | 'attempt' | 'nextAttemptAt' | 'now'> &
  Partial<Pick<DeliveryStep, 'cancelReason' | 'isRateLimited'>> & {
    attemptsMax?: number | null | undefined;
  };

/** Returns the step to record of a delivery as it was found. */
export function stepOf(
  { delivery, event }: Pick<Found, 'delivery'> & { event: Omit<EventToAttempt, 'body'> },
  webhookUid: string,
  made: Omit<MadeStep, 'attemptsMax'>,
): DeliveryStep {
  const number = partitionNumberOf(event, webhookUid);
  return {
    cancelReason: null,
    isRateLimited: false,
    ...made,
    event: event.event,
    externalTenantId: event.externalTenantId,
    isFirst: delivery === null,
    attemptsBefore: delivery?.attemptCount ?? 0,
    jobUid: delivery?.jobUid ?? null,
    partition: number === null ? null : partitionId(number.partition),
    discardCount: discardCountOf(event.seenDiscards, webhookUid),
  };
}

// A concurrent write of another process wins, and so does the claim of a job.
export async function recordStep(
  records: Pick<DeliveryRecords, 'record' | 'readDelivery' | 'readProven'>,
  { key, caller, ...found }: Found,
  { attemptsMax = null, ...made }: MadeStep,
): Promise<DeliveryOutcome> {
  const step = stepOf(found, key.webhookUid, made);
  const { attempt, now } = step;
  if (await records.record(key, step)) {
    const report = await reportAfter(records, key, step);
    const jobPage = found.delivery?.jobPage ?? null;
    return { ...report, attemptsMax, ...leftAs({ ...step, jobPage }, caller, now) };
  }
  deliveryLog.warn({ ...key, n: attempt?.n }, 'delivery.superseded');
  const { delivery: stored } = await records.readProven(key);
  if (stored === null)
    throw new Error(`the delivery of ${key.eventId} was deleted during its attempt`);
  return { ...reportOf(key, stored), ...leftAs(stored, caller, now) };
}

// The writer of an open delivery without a time may be attempting it.
function leftAs(delivery: Standing, caller: AttemptCaller, now: Date): Ending {
  const ending = endingOf(delivery, caller, now);
  if (ending !== null) return ending;
  const at = new Date(now.getTime() + limits.attemptTimeoutMs).toISOString();
  return { state: 'later', why: 'inFlightElsewhere', at };
}
