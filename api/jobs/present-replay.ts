// A replay as clients see it: what was asked for, and how far it is.
import { timeOfId } from '../../lib/platform/ids.ts';
import type { ReplayJob } from '../../lib/model/job.ts';

export interface PresentedReplay {
  uid: string;
  webhookUid: string;
  since: string;
  until: string;
  events: string[] | null;
  states: string[];
  perSecond: number;
  state: string;
  /** How many deliveries were handed on so far. */
  releasedCount: number;
  /** When the last event that it has looked at was recorded; it goes from `since` to `until`. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
}

/** Gives a replay's public fields. */
export function presentReplay(replay: ReplayJob): PresentedReplay {
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
