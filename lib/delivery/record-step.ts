// Writes down what an attempt, or the lack of one, did to a delivery, and tells it as an outcome.
import { deliveryLog } from '../logger.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliveryDocument, DeliveryKey, DeliveryStep } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { LanePlace } from '../model/lane.ts';
import type { DeliveryPorts } from './ports.ts';

/** Where a step's outcome says that the attempt went; nothing for a step that sent nothing. */
export type AttemptTarget = Pick<DeliveryOutcome, 'host' | 'attemptsMax'>;

const noTarget: AttemptTarget = { host: null, attemptsMax: null };

/** Whose step it is: that of a redelivery or release, or with null that of the event's own workflow. */
export type Carrier = Pick<DeliveryStep, 'redeliveryUid'>;

/** Whether no other redelivery took the delivery over: that one decides from then on. */
export function isCarriedBy(delivery: DeliveryDocument, { redeliveryUid }: Carrier): boolean {
  return (delivery.redeliveryUid ?? null) === redeliveryUid;
}

/** Records a step. What another process recorded meanwhile stands, and so does what a redelivery took over. */
export async function recordStep(
  { records }: Pick<DeliveryPorts, 'records'>,
  key: DeliveryKey,
  { step, target = noTarget }: { step: DeliveryStep; target?: AttemptTarget },
): Promise<DeliveryOutcome> {
  const written = await records.record(key, step);
  if (!written) {
    deliveryLog.warn({ ...key, n: step.attempt?.n }, 'delivery.recorded_elsewhere');
    return readOutcome({ records }, key, step);
  }
  return {
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    state: step.state,
    attemptCount: step.attemptsBefore + (step.attempt === null ? 0 : 1),
    status: step.attempt?.status ?? null,
    errorClass: step.attempt?.errorClass ?? null,
    ...target,
    nextAttemptAt: step.nextAttemptAt?.toISOString() ?? null,
  };
}

interface Unsent {
  event: EventToAttempt;
  delivery: DeliveryDocument | null;
  state: 'cancelled' | 'held' | 'waiting' | 'pending';
}

/** Records that a delivery is not sent now: its webhook is gone or paused, it waits for others or for a turn. */
export async function recordUnsent(
  ports: Pick<DeliveryPorts, 'records' | 'clock'>,
  key: DeliveryKey,
  facts: Unsent & { options: Carrier },
): Promise<DeliveryOutcome> {
  const { event, delivery, options, state } = facts;
  const outcome = await recordStep(ports, key, {
    step: {
      event: event.event,
      state,
      isFirst: delivery === null,
      attemptsBefore: delivery?.attemptCount ?? 0,
      redeliveryUid: options.redeliveryUid,
      attempt: null,
      nextAttemptAt: null,
      lane: placeAfter(facts),
      now: ports.clock.now(),
    },
  });
  if (state === 'cancelled' || state === 'held') {
    deliveryLog.info({ ...key, state: outcome.state }, 'delivery.not_sent');
  }
  return outcome;
}

/** What waits gets its place in a lane. What is held keeps its own until it is sure that it stays held. */
function placeAfter({ event, delivery, state }: Unsent): LanePlace | null {
  const { entity, resourceUid, sequence } = event;
  if (state === 'held') return delivery?.lane ?? null;
  return state === 'waiting' && sequence !== null ? { entity, resourceUid, sequence } : null;
}

/** Leaves what got no turn as it is. Of a first attempt it is written down, for pauses and discards to find. */
export async function leaveToRetries(
  ports: Pick<DeliveryPorts, 'records' | 'clock'>,
  key: DeliveryKey,
  facts: Omit<Unsent, 'state'> & { options: Carrier; target: AttemptTarget },
): Promise<DeliveryOutcome> {
  const { delivery, target } = facts;
  if (delivery !== null) {
    const dueAt = delivery.nextAttemptAt?.toISOString();
    return { ...standing(key, delivery), state: 'retrying', ...target, dueAt };
  }
  const left = await recordUnsent(ports, key, { ...facts, state: 'pending' });
  return left.state === 'pending' ? { ...left, state: 'retrying', ...target } : left;
}

/** Reads how a delivery stands to who carried it, after another has written it. */
export async function readOutcome(
  { records }: Pick<DeliveryPorts, 'records'>,
  key: DeliveryKey,
  by: Carrier,
): Promise<DeliveryOutcome> {
  const stored = await records.readDelivery(key);
  if (stored === null) throw new Error(`the delivery of ${key.eventId} vanished`);
  return outcomeOf(key, stored, by);
}

/**
 * Tells how a stored delivery stands to who carried it: `superseded` once another does. What is still
 * `pending` another process took up, and its carrier is to ask again, for that process may be lost.
 */
export function outcomeOf(
  key: DeliveryKey,
  delivery: DeliveryDocument,
  by: Carrier,
): DeliveryOutcome {
  const stands = delivery.state === 'pending' ? 'retrying' : delivery.state;
  return {
    ...standing(key, delivery),
    state: isCarriedBy(delivery, by) ? stands : 'superseded',
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  };
}

/** What an outcome tells of a delivery to which nothing was sent. */
export function standing(
  { eventId, webhookUid }: DeliveryKey,
  delivery: DeliveryDocument | null,
): Omit<DeliveryOutcome, 'state'> {
  const last = delivery?.attempts.at(-1);
  return {
    eventId,
    webhookUid,
    attemptCount: delivery?.attemptCount ?? 0,
    status: last?.status ?? null,
    errorClass: last?.errorClass ?? null,
    ...noTarget,
    nextAttemptAt: null,
  };
}
