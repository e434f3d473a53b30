// A delivery that a job requeues, like the transaction of its page does.
import type { RequeueTrigger } from '../../lib/model/attempt.ts';
import type { DeliveryKey } from '../../lib/model/delivery.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { requeueDeliveries } from '../../lib/jobs/requeue.ts';
import type { Installation } from './installation.ts';

/** Lets a job take a delivery of an event `agent.updated` in its first page. */
export async function requeue(
  { store }: Pick<Installation, 'store'>,
  { appUid, eventId, webhookUid }: DeliveryKey,
  { jobUid, requeuedAs }: { jobUid: string; requeuedAs: RequeueTrigger },
): Promise<void> {
  const facts = { event: 'agent.updated', externalTenantId: 'tenant-1' } as const;
  const deliveries = [{ event: { _id: eventId, appUid, ...facts }, webhookUid, partition: null }];
  const now = new Date();
  const job = { _id: jobUid, kind: requeuedAs, createdAt: now, seenDiscards: [] };
  await inTransaction(store, (session) =>
    requeueDeliveries(store, deliveries, { job, jobPage: 1, now, session }),
  );
}
