// Records the result of a call about a delivery, and builds the outcome for the workflow.
import { limits } from '../limits.ts';
import type {
  AttemptFact,
  DeliveryOutcome,
  DeliveryReport,
  Ending,
} from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type {
  DeliveryKey,
  DeliveryStep,
  DeliveryToAttempt,
  PastAttempt,
} from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventToAttempt } from '../model/event.ts';
import { partitionId, partitionNumberOf } from '../model/partition.ts';
import { deliveryLog } from '../platform/logger.ts';
import { type AttemptCaller, endingOf, type Standing } from './decide.ts';
import type { DeliveryRecords } from './delivery-records.ts';

/** A delivery as an attempt found it. */
export interface Found {
  key: DeliveryKey;
  delivery: DeliveryToAttempt | null;
  event: EventToAttempt;
  caller: AttemptCaller;
}

export type AttemptTarget = Pick<DeliveryReport, 'host' | 'attemptsMax'>;

type MadeStep = Pick<DeliveryStep, 'state' | 'attempt' | 'nextAttemptAt' | 'now'> &
  Partial<Pick<DeliveryStep, 'cancelReason' | 'isRateLimited'>> & { target?: AttemptTarget };

/** Returns the step to record of a delivery as it was found. */
export function stepOf(
  { delivery, event }: { delivery: DeliveryToAttempt | null; event: Omit<EventToAttempt, 'body'> },
  webhookUid: string,
  made: Omit<MadeStep, 'target'>,
): DeliveryStep {
  const place = partitionNumberOf(event, webhookUid);
  return {
    cancelReason: null,
    isRateLimited: false,
    ...made,
    event: event.event,
    externalTenantId: event.externalTenantId,
    isFirst: delivery === null,
    attemptsBefore: delivery?.attemptCount ?? 0,
    jobUid: delivery?.jobUid ?? null,
    partition: place === null ? null : partitionId(place.partition),
    discardCount: discardCountOf(event.seenDiscards, webhookUid),
  };
}

// A concurrent write of another process wins, and so does the claim of a job.
export async function recordStep(
  records: Pick<DeliveryRecords, 'record' | 'readDelivery' | 'readProven'>,
  { key, caller, ...found }: Found,
  { target, ...made }: MadeStep,
): Promise<DeliveryOutcome> {
  const step = stepOf(found, key.webhookUid, made);
  const { attempt, now } = step;
  if (await records.record(key, step)) {
    const report = {
      ...reportOf(key, null),
      attemptCount: step.attemptsBefore + (attempt === null ? 0 : 1),
      status: attempt?.status ?? null,
      errorClass: attempt?.errorClass ?? null,
      ...attemptsOf(await attemptsAfter(records, key, step)),
      ...target,
    };
    const jobPage = found.delivery?.jobPage ?? null;
    return { ...report, ...leftAs({ ...step, jobPage }, caller, now) };
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

// Earlier attempts are read only now, because only the final outcome reports them.
async function attemptsAfter(
  records: Pick<DeliveryRecords, 'readDelivery'>,
  key: DeliveryKey,
  { state, attempt, attemptsBefore }: DeliveryStep,
): Promise<readonly PastAttempt[]> {
  const stored = isOpen(state) || attemptsBefore === 0 ? null : await records.readDelivery(key);
  return stored?.attempts ?? (attempt === null ? [] : [attempt]);
}

/** Reports a delivery as stored, without an attempt by this process. */
export function reportOf(
  { eventId, webhookUid }: DeliveryKey,
  delivery: DeliveryToAttempt | null,
): DeliveryReport {
  const last = delivery?.attempts.at(-1);
  return {
    eventId,
    webhookUid,
    attemptCount: delivery?.attemptCount ?? 0,
    status: last?.status ?? null,
    errorClass: last?.errorClass ?? null,
    host: null,
    attemptsMax: null,
    ...attemptsOf(delivery?.attempts ?? []),
  };
}

function attemptsOf(attempts: readonly PastAttempt[]): Pick<DeliveryReport, 'attempts'> {
  if (attempts.length === 0) return {};
  return { attempts: attempts.slice(-limits.attemptsKeptMax).map(toFact) };
}

function toFact({ n, at, ms, status, errorClass }: PastAttempt): AttemptFact {
  const response = status === null ? {} : { status };
  const fault = errorClass === null || status !== null ? {} : { errorClass };
  return { n, at: at.toISOString(), ms: ms.total, ...response, ...fault };
}
