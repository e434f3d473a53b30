import { factsOnly } from '../events/events.ts';
import { pairOf } from '../model/delivery.ts';
import { isDiscardedSince } from '../model/discards.ts';
import type { EventFacts } from '../model/event.ts';
import type { ResendJob } from '../model/job.ts';
import { partitionId, partitionNumberOf } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import { findKnownWebhooks } from '../webhooks/webhooks.ts';
import type { PageContext, TakenPage } from './page.ts';
import { requeueDeliveries } from './requeue.ts';
import { type TakenDelivery, takenFields } from './taken-by-job.ts';

/** Takes the only page of a resend, which sends immediately and outside any order. */
export async function takeResendPage(
  store: Store,
  job: ResendJob,
  context: PageContext,
): Promise<TakenPage> {
  const { appUid, eventId, webhookUids, seenDiscards } = job;
  const { page: jobPage, session } = context;
  const event = await store.events.findOne<EventFacts>(
    { _id: eventId, appUid },
    { projection: factsOnly, session },
  );
  if (event === null || event.erasedAt !== null) return { isEnd: true, cursor: eventId };
  const known = await findKnownWebhooks(store, { appUid, webhookUids }, session);
  const targets = known.filter((webhook) => !isDiscardedSince(seenDiscards, webhook));
  const deliveries = targets.map(({ _id: webhookUid }) => {
    const partitionNumber = partitionNumberOf(event, webhookUid);
    const partition = partitionNumber === null ? null : partitionId(partitionNumber.partition);
    return { event, webhookUid, partition };
  });
  const takenByJob = await store.deliveries
    .find<TakenDelivery>(
      { _id: { $in: deliveries.map(({ webhookUid }) => pairOf({ eventId, webhookUid })) } },
      { projection: takenFields, session },
    )
    .toArray();
  await requeueDeliveries(store, deliveries, { ...context, job, jobPage });
  return { isEnd: true, cursor: eventId, count: deliveries.length, takenByJob };
}
