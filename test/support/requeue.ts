// A delivery that a job requeues, like the transaction of its page does.
import type { DeliveryKey } from '../../lib/model/delivery.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { type PageStamp, requeueDeliveries } from '../../lib/jobs/jobs.ts';
import type { Installation } from './installation.ts';

/** Lets a job take a delivery of an event `agent.updated` in its first page. */
export async function requeue(
  { store }: Pick<Installation, 'store'>,
  key: DeliveryKey,
  stamp: Pick<PageStamp, 'jobUid' | 'requeuedAs'>,
): Promise<void> {
  const { appUid, eventId, webhookUid } = key;
  const facts = { event: 'agent.updated', externalTenantId: 'tenant-1' } as const;
  const deliveries = [
    { event: { _id: eventId, appUid, ...facts }, webhookUid, partition: null, discardCount: 0 },
  ];
  await inTransaction(store, (session) =>
    requeueDeliveries(store, deliveries, {
      stamp: { ...stamp, jobPage: 1, requeuedAt: new Date() },
      now: new Date(),
      session,
    }),
  );
}
