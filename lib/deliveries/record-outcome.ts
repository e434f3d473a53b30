// Records the result of an attempt, and builds the outcome for the workflow.
import { limits } from '../limits.ts';
import type { AttemptFact, DeliveryOutcome } from '../model/delivery-outcome.ts';
import { type DeliveryState, isOpen } from '../model/delivery-state.ts';
import type {
  DeliveryKey,
  DeliveryStep,
  DeliveryToAttempt,
  PastAttempt,
} from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionId, type PartitionNumber } from '../model/partition.ts';
import { deliveryLog } from '../platform/logger.ts';
import type { Caller } from '../model/caller.ts';
import { nextWorkflowId } from '../temporal/names.ts';
import type { DeliveryRecords } from './delivery-records.ts';

/** A delivery as an attempt found it. */
export interface Found {
  key: DeliveryKey;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt;
  partitionNumber: PartitionNumber | null;
  caller: Caller;
}

export type AttemptTarget = Pick<DeliveryOutcome, 'host' | 'attemptsMax'>;

type MadeStep = Pick<DeliveryStep, 'state' | 'attempt' | 'nextAttemptAt' | 'now'> &
  Partial<Pick<DeliveryStep, 'cancelReason' | 'isRateLimited'>> & { target?: AttemptTarget };

// A concurrent write of another process wins, and so does the claim of a job.
export async function recordStep(
  records: Pick<DeliveryRecords, 'record' | 'readDelivery' | 'readProven'>,
  { key, delivery, event, partitionNumber, caller }: Found,
  { target, ...made }: MadeStep,
): Promise<DeliveryOutcome> {
  const step: DeliveryStep = {
    cancelReason: null,
    isRateLimited: false,
    ...made,
    event: event.event,
    externalTenantId: event.externalTenantId,
    isFirst: delivery === null,
    attemptsBefore: delivery?.attemptCount ?? 0,
    jobUid: delivery?.jobUid ?? null,
    partition: partitionNumber === null ? null : partitionId(partitionNumber.partition),
    discardCount: discardCountOf(event.seenDiscards, key.webhookUid),
  };
  if (await records.record(key, step)) {
    const attempts = await attemptsAfter(records, key, step);
    return { ...recordedOutcome(key, step, attempts), ...target };
  }
  deliveryLog.warn({ ...key, n: made.attempt?.n }, 'delivery.superseded');
  const { delivery: stored } = await records.readProven(key);
  if (stored === null)
    throw new Error(`the delivery of ${key.eventId} was deleted during its attempt`);
  return outcomeOf(key, stored, caller);
}

// Earlier attempts are read only now, because only the final outcome reports them.
async function attemptsAfter(
  records: Pick<DeliveryRecords, 'readDelivery'>,
  key: DeliveryKey,
  { state, attempt, attemptsBefore }: DeliveryStep,
): Promise<readonly PastAttempt[]> {
  const stored = isOpen(state) || attemptsBefore === 0 ? null : await records.readDelivery(key);
  return stored?.attempts ?? (attempt === null ? [] : [attempt]);
}

function recordedOutcome(
  key: DeliveryKey,
  step: DeliveryStep,
  attempts: readonly PastAttempt[],
): DeliveryOutcome {
  return {
    ...unattemptedOutcome(key, null),
    state: reportedState(step.state),
    attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
    status: step.attempt?.status ?? null,
    errorClass: step.attempt?.errorClass ?? null,
    nextAttemptAt: step.nextAttemptAt?.toISOString() ?? null,
    isRateLimited: step.isRateLimited || undefined,
    ...attemptsOf(attempts),
  };
}

// The state is `superseded` if a job took the delivery from the caller, and `waiting` if the partition owns it.
export function outcomeOf(
  key: DeliveryKey,
  delivery: DeliveryToAttempt,
  caller: Caller,
): DeliveryOutcome {
  const before = { ...unattemptedOutcome(key, delivery), ...attemptsOf(delivery.attempts) };
  const { state, jobUid, partition, nextAttemptAt, isRateLimited } = delivery;
  const owner = caller.kind === 'job' ? caller.jobUid : null;
  const reported = reportedState(state);
  const isTaken = jobUid !== owner && isOpen(state);
  const isLeft = caller.kind === 'event' && partition !== null && reported === 'retrying';
  if (isTaken || isLeft) {
    const continuesIn = nextWorkflowId(delivery);
    return { ...before, state: isTaken ? 'superseded' : 'waiting', continuesIn };
  }
  if (jobUid !== owner) return { ...before, state: reported };
  return {
    ...before,
    state: reported,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    isRateLimited: isRateLimited || undefined,
  };
}

// A pending delivery is retried: the process that took it may have died.
function reportedState(state: DeliveryState): Exclude<DeliveryState, 'pending'> {
  return state === 'pending' ? 'retrying' : state;
}

function attemptsOf(attempts: readonly PastAttempt[]): Pick<DeliveryOutcome, 'attempts'> {
  if (attempts.length === 0) return {};
  return { attempts: attempts.slice(-limits.attemptsKeptMax).map(toFact) };
}

function toFact({ n, at, ms, status, errorClass }: PastAttempt): AttemptFact {
  const response = status === null ? {} : { status };
  const fault = errorClass === null || status !== null ? {} : { errorClass };
  return { n, at: at.toISOString(), ms: ms.total, ...response, ...fault };
}

export function unattemptedOutcome(
  { eventId, webhookUid }: DeliveryKey,
  delivery: DeliveryToAttempt | null,
): Omit<DeliveryOutcome, 'state'> {
  const last = delivery?.attempts.at(-1);
  return {
    eventId,
    webhookUid,
    attemptCount: delivery?.attemptCount ?? 0,
    status: last?.status ?? null,
    errorClass: last?.errorClass ?? null,
    host: null,
    attemptsMax: null,
    nextAttemptAt: null,
  };
}
