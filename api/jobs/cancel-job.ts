import { recordAudit } from '../../lib/access/audit-log.ts';
import type { ReplayJob, SyncJob } from '../../lib/model/job.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest } from '../route.ts';

/** Cancels a running or waiting replay or sync. Deliveries already queued are still made; an ended job does not change. */
export async function cancelJob(
  { appUid, caller }: Pick<ApiRequest, 'appUid' | 'caller'>,
  { store, clock }: ApiContext,
  { _id, kind }: ReplayJob | SyncJob,
): Promise<void> {
  await inTransaction(store, async (session) => {
    const now = clock.now();
    const cancelled = await store.jobs.updateOne(
      { _id, appUid, state: { $in: ['running', 'waiting'] } },
      { $set: { state: 'cancelled', finishedAt: now }, $unset: { erasedSince: '' } },
      { session },
    );
    if (cancelled.matchedCount === 0) return;
    const entry = { appUid, action: `${kind}.cancelled`, target: { kind, uid: _id } };
    await recordAudit(store, entry, { caller, now, session });
  });
}
