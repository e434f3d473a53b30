import { forEachLimit } from '../concurrency/for-each-limit.ts';
import { statisticsLimits } from '../limits.ts';
import { type AttemptState, attemptStates } from '../model/attempt.ts';
import { subscribedEventNames } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';

const { latestOutcomesMax } = statisticsLimits;
const concurrentReadsMax = 4;

export interface LatestOutcomes {
  webhookUid: string;
  /** The states of the latest attempted deliveries, oldest first. */
  outcomes: AttemptState[];
}

/** Reads the latest outcomes of some webhooks of an application, from an index alone, without tests. */
export async function readLatestOutcomes(
  store: Store,
  appUid: string,
  webhookUids: readonly string[],
): Promise<LatestOutcomes[]> {
  const found = new Map<string, AttemptState[]>();
  await forEachLimit(webhookUids, concurrentReadsMax, async (webhookUid) => {
    // It lists all values, like the query for the list of deliveries.
    const rows = store.deliveries
      .find<{ state: AttemptState }>(
        {
          appUid,
          webhookUid,
          state: { $in: [...attemptStates] },
          event: { $in: [...subscribedEventNames] },
        },
        { projection: { _id: 0, state: 1 }, hint: 'webhookState' },
      )
      .sort({ _id: -1 })
      .limit(latestOutcomesMax);
    const states = await rows.map(({ state }) => state).toArray();
    found.set(webhookUid, states.toReversed());
  });
  return webhookUids.map((webhookUid) => ({ webhookUid, outcomes: found.get(webhookUid) ?? [] }));
}
