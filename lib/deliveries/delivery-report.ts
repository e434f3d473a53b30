// Builds the report of a delivery for its workflow.
import { limits } from '../limits.ts';
import type { AttemptFact, DeliveryReport } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type {
  DeliveryKey,
  DeliveryStep,
  DeliveryToAttempt,
  PastAttempt,
} from '../model/delivery.ts';
import type { DeliveryRecords } from './delivery-records.ts';

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

/** Reports a delivery after a step. Its earlier attempts are read only if the step settled it. */
export async function reportAfter(
  records: Pick<DeliveryRecords, 'readDelivery'>,
  key: DeliveryKey,
  { state, attempt, attemptsBefore }: DeliveryStep,
): Promise<DeliveryReport> {
  const stored = isOpen(state) || attemptsBefore === 0 ? null : await records.readDelivery(key);
  return {
    ...reportOf(key, null),
    attemptCount: attemptsBefore + (attempt === null ? 0 : 1),
    status: attempt?.status ?? null,
    errorClass: attempt?.errorClass ?? null,
    ...attemptsOf(stored?.attempts ?? (attempt === null ? [] : [attempt])),
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
