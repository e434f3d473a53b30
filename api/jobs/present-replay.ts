import { timeOfId } from '../../lib/platform/ids.ts';
import type { ReplayJob } from '../../lib/model/job.ts';

/** Returns a replay as clients see it; `reachedAt` goes from `since` to `until` for each webhook. */
export function presentReplay(replay: ReplayJob) {
  return {
    uid: replay._id,
    webhookUid: replay.webhookUid,
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    events: replay.events,
    states: replay.states,
    cancelReasons: replay.cancelReasons,
    externalTenantId: replay.externalTenantId,
    perSecond: replay.perSecond,
    state: replay.state,
    releasedCount: replay.count,
    webhookCount: replay.webhookUids.length,
    webhooksDone: replay.webhooksDone,
    webhooks: replay.webhooks.map(({ webhookUid, count }) => ({
      webhookUid,
      releasedCount: count,
    })),
    reachedAt: replay.cursor === '' ? null : timeOfId(replay.cursor).toISOString(),
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
