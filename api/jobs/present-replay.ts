import { timeOfId } from '../../lib/platform/ids.ts';
import type { ReplayJob } from '../../lib/model/job.ts';

/** Returns a replay as clients see it; `reachedAt` goes from `since` to `until`. */
export function presentReplay(replay: ReplayJob) {
  return {
    uid: replay._id,
    webhookUid: replay.webhookUid,
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    events: replay.events,
    states: replay.states,
    perSecond: replay.perSecond,
    state: replay.state,
    releasedCount: replay.count,
    reachedAt: replay.cursor === '' ? null : timeOfId(replay.cursor).toISOString(),
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
