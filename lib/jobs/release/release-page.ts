import type { ClientSession, Filter } from 'mongodb';
import { jobLimits } from '../../limits.ts';
import type { DeliveryDocument } from '../../model/delivery.ts';
import type { ReleaseJob } from '../../model/job.ts';
import type { WebhookDocument } from '../../model/webhook.ts';
import type { Store } from '../../mongo/connect.ts';
import { within } from '../../mongo/transaction.ts';
import { findPassed } from '../../order/settled.ts';
import { idAt } from '../../platform/ids.ts';
import { type PageContext, signalLater, type TakenPage } from '../page.ts';
import { cancelNext, nextCheck, takeRemovalPage } from './removal-page.ts';

const { releasedPerSecondDefault } = jobLimits;
// By this time, each delivery that was open at the resume is recorded, or will be dropped at its attempt. A later
// release does not look for them: its pages would repeatedly read deliveries that were requeued since the discard.
const recordedMsMax = 60_000;

type Held = Pick<DeliveryDocument, '_id' | 'eventId' | 'partition'>;

/** Takes a page after a resume: cancels discarded deliveries first, then sends the held ones, oldest events first. */
export async function takeReleasePage(
  store: Store,
  job: ReleaseJob,
  context: PageContext,
): Promise<TakenPage> {
  const { _id: jobUid, appUid, webhookUid } = job;
  const { now, session } = context;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid }, { session });
  if (webhook === null) return takeRemovalPage(store, job, context);
  const discarded = discardedFrom(webhook, job);
  if (discarded !== null) {
    const cancelled = await cancelNext(store, job, { ...context, discarded });
    if (cancelled !== null) return cancelled;
  }
  if (!webhook.active || webhook.releaseUid !== jobUid) return { isEnd: true };
  const held = await findHeld(store, job, session);
  return held.length === 0 ? nextCheck(job, now) : sendHeld(store, held, { ...context, jobUid });
}

/** Returns the next page of a release: the held deliveries of the oldest events. */
export function findHeld(
  store: Store,
  { appUid, webhookUid }: Pick<ReleaseJob, 'appUid' | 'webhookUid'>,
  session?: ClientSession,
): Promise<Held[]> {
  const options = { projection: { eventId: 1, partition: 1 }, hint: 'notDelivered' };
  return store.deliveries
    .find<Held>({ appUid, webhookUid, state: 'held' }, { ...options, ...within(session) })
    .sort({ eventId: 1 })
    .limit(releasedPerSecondDefault)
    .toArray();
}

// Same rule as in `decide`.
function discardedFrom(
  { discardCount, discardBefore }: WebhookDocument,
  { createdAt: resumedAt }: ReleaseJob,
): Filter<DeliveryDocument> | null {
  if (discardCount === 0 || discardBefore === null) return null;
  const recordedBefore = new Date(discardBefore.getTime() + recordedMsMax);
  if (resumedAt > recordedBefore) return null;
  // A count that is absent matches, too.
  const isLower = { $not: { $gte: discardCount } };
  return { _id: { $lt: idAt('evt', recordedBefore) }, discardCount: isLower };
}

// A delivery whose number is not settled goes to its partition, any other to this job.
async function sendHeld(
  store: Store,
  held: readonly Held[],
  { jobUid, page, now, session }: PageContext & { jobUid: string },
): Promise<TakenPage> {
  const passed = new Set(await findPassed(store, held, session));
  const ordered = held.filter((each) => each.partition !== null && !passed.has(each._id));
  const others = held.filter((each) => !ordered.includes(each));
  for (const [deliveries, owner] of [
    [ordered, { jobUid: null, jobPage: null }],
    [others, { jobUid, jobPage: page }],
  ] as const) {
    if (deliveries.length === 0) continue;
    const _id = { $in: deliveries.map((each) => each._id) };
    const pending = { nextAttemptAt: null, isRateLimited: false, updatedAt: now, ...owner };
    await store.deliveries.updateMany(
      { _id, state: 'held' },
      { $set: { state: 'pending', ...pending } },
      { session },
    );
  }
  const ids = ordered.flatMap(({ partition }) => partition ?? []);
  const partitions = await signalLater(store, ids, { now, session });
  return { isEnd: false, count: held.length, partitions };
}
