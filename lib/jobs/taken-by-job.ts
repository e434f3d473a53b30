import { jobLimits } from '../limits.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { Store } from '../mongo/connect.ts';
import type { DeliveryPair } from '../temporal/messages.ts';
import { jobPageWorkflowId } from '../temporal/names.ts';

export const takenFields = {
  eventId: 1,
  webhookUid: 1,
  state: 1,
  isRateLimited: 1,
  partition: 1,
  jobUid: 1,
  jobPage: 1,
  cancelReason: 1,
  nextAttemptAt: 1,
  updatedAt: 1,
} as const;

/** A delivery before a job took or cancelled it. */
export type TakenDelivery = Pick<DeliveryDocument, keyof typeof takenFields>;

/** Returns the deliveries that waited for an attempt when a job took them, by the ID of the workflow that waits. */
export async function findWaitingWorkflows(
  store: Store,
  deliveries: readonly Omit<TakenDelivery, 'cancelReason' | 'nextAttemptAt' | 'updatedAt'>[],
): Promise<Map<string, DeliveryPair[]>> {
  const waiting = deliveries.filter(({ state, isRateLimited, partition, jobUid }) => {
    const waits = state === 'retrying' || (state === 'pending' && isRateLimited);
    // Workflows of partitions get their own signal.
    return waits && (partition === null || jobUid !== null);
  });
  const eventIds = waiting.filter(({ jobUid }) => jobUid === null).map(({ eventId }) => eventId);
  const events =
    eventIds.length === 0
      ? []
      : await store.events
          .find({ _id: { $in: eventIds } }, { projection: { workflowId: 1 } })
          .toArray();
  const ofEvents = new Map(events.map(({ _id, workflowId }) => [_id, workflowId]));
  const workflows = new Map<string, DeliveryPair[]>();
  for (const { eventId, webhookUid, jobUid, jobPage } of waiting) {
    const workflowId =
      jobUid === null ? ofEvents.get(eventId) : jobPageWorkflowId(jobUid, jobPage ?? 0);
    if (workflowId == null) continue;
    const isFull = workflows.size >= jobLimits.signalledPerPageMax;
    if (isFull && !workflows.has(workflowId)) continue;
    workflows.set(workflowId, [...(workflows.get(workflowId) ?? []), { eventId, webhookUid }]);
  }
  return workflows;
}
