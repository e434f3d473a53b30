// POST …/events/{eventId}/deliveries/{webhookUid}/cancel: gives up one delivery, so that an ordered resource goes on.
import type { ClientSession } from 'mongodb';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { insertDeliveries } from '../../lib/deliveries/delivery-records.ts';
import { cancelDeliveries } from '../../lib/deliveries/cancel-deliveries.ts';
import { stepOf } from '../../lib/deliveries/record-step.ts';
import { findWaitingWorkflows } from '../../lib/jobs/taken-by-job.ts';
import { isOpen, openStates } from '../../lib/model/delivery-state.ts';
import { type DeliveryDocument, pairOf } from '../../lib/model/delivery.ts';
import type { EventFacts } from '../../lib/model/event.ts';
import { partitionId, type PartitionKey, partitionNumberOf } from '../../lib/model/partition.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { scheduleSignal } from '../../lib/order/partitions.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { dispatchLog } from '../../lib/platform/logger.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import type { ApiContext } from '../context.ts';
import type { Handler } from '../route.ts';
import { operation, type Operation } from '../http/operation.ts';
import { findEvent } from './get-event.ts';
import { deliverySchema, presentDelivery } from './present-delivery.ts';

const facts: Operation = {
  id: 'skipDelivery',
  summary: 'Skip a delivery',
  description:
    'The delivery is cancelled with the reason `skipped`, and the next one of an ordered resource is sent. A request in flight is not stopped: if the receiver accepts it, the delivery is `delivered`. A repeat changes nothing.',
  answers: { 200: { description: 'The delivery', schema: deliverySchema } },
  problems: ['conflict'],
};

/** Throws `not_found` for a webhook that does not get the event, and `conflict` for a delivery that has ended. */
export const skipDelivery: Handler = operation(facts, async (request, context) => {
  const { appUid, caller } = request;
  const { store } = context;
  const webhookUid = request.params['webhookUid'] ?? '';
  const { skipped, delivery } = await inTransaction(store, async (session) => {
    const event = await findEvent(request, context, session);
    const now = context.clock.now();
    const done = await skip(store, { event, webhookUid }, { now, session });
    if (done !== null) {
      const target = { kind: 'event', uid: event._id };
      const details = { webhookUid, state: done.before?.state ?? 'pending' };
      const entry = { appUid, action: 'delivery.skipped', target, details };
      await recordAudit(store, entry, { caller, now, session });
    }
    // In the transaction, because a later read may miss it on a new primary.
    const key = { _id: pairOf({ eventId: event._id, webhookUid }), appUid };
    return { skipped: done, delivery: await store.deliveries.findOne(key, { session }) };
  });
  if (skipped !== null) {
    instruments.deliveriesCancelled.add(1, { reason: 'skipped' });
    void wake(context, skipped);
  }
  if (delivery === null) throw new Error('a skipped delivery has a document');
  return { status: 200, body: presentDelivery(delivery) };
});

interface Skipped {
  /** Null if the delivery had no document yet. */
  before: DeliveryDocument | null;
  partition: PartitionKey | null;
}

// Returns null if it was skipped before.
async function skip(
  store: Store,
  { event, webhookUid }: { event: EventFacts; webhookUid: string },
  { now, session }: { now: Date; session: ClientSession },
): Promise<Skipped | null> {
  const { _id: eventId, appUid } = event;
  const key = { appUid, eventId, webhookUid };
  const stored = { _id: pairOf(key), appUid };
  const before = await store.deliveries.findOne(stored, { session });
  const partition = partitionNumberOf(event, webhookUid)?.partition ?? null;
  if (before === null) {
    if (!event.webhookUids.includes(webhookUid))
      throw new AppError('not_found', 'there is no such delivery');
    const end = { state: 'cancelled', cancelReason: 'skipped' } as const;
    const step = { ...end, attempt: null, nextAttemptAt: null, now };
    const found = { delivery: null, event };
    await insertDeliveries(store, [[key, stepOf(found, webhookUid, step)]], session);
  } else if (isOpen(before.state)) {
    const open = { ...stored, state: { $in: [...openStates] } };
    await cancelDeliveries(store, open, { reason: 'skipped', now, session });
  } else {
    if (before.cancelReason === 'skipped') return null;
    throw new AppError('conflict', `the delivery has ended: it is ${before.state}`);
  }
  if (partition !== null) await scheduleSignal(store, [partitionId(partition)], { now, session });
  return { before, partition };
}

// Not awaited, because the relay signals the partition as well, and a retry that is due finds the delivery cancelled.
async function wake(
  { store, signalPartition, signalTakenByJob }: ApiContext,
  { before, partition }: Skipped,
): Promise<void> {
  try {
    if (partition !== null) await signalPartition(partition);
    if (before !== null) await signalTakenByJob(await findWaitingWorkflows(store, [before]));
  } catch (error) {
    dispatchLog.warn({ err: error, count: 1 }, 'overtaken.signal_failed');
  }
}
