// What is still to be delivered; each part costs a bounded number of index entries, however much there is.
import { jobLimits } from '../limits.ts';
import type { openStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';

const countMax = jobLimits.countedDeliveriesMax;

export interface BacklogCount {
  count: number;
  /** There may be more. */
  countIsCapped: boolean;
}

export interface OpenDeliveries extends BacklogCount {
  oldestAt: Date | null;
}

export type OpenState = (typeof openStates)[number];

export interface Backlog {
  deliveries: Record<OpenState, OpenDeliveries>;
  undispatched: BacklogCount;
}

/** Reads what an application has still to deliver. */
export async function readBacklog(store: Store, appUid: string): Promise<Backlog> {
  const [pending, retrying, held, undispatched] = await Promise.all([
    readOpen(store, { appUid, state: 'pending' }),
    readOpen(store, { appUid, state: 'retrying' }),
    readOpen(store, { appUid, state: 'held' }),
    countUndispatched(store, appUid),
  ]);
  return { deliveries: { pending, retrying, held }, undispatched };
}

async function readOpen(
  { deliveries }: Store,
  filter: Pick<DeliveryDocument, 'appUid'> & { state: OpenState },
): Promise<OpenDeliveries> {
  const hint = 'appState';
  const [count, oldest] = await Promise.all([
    deliveries.countDocuments(filter, { limit: countMax + 1, hint }),
    // With all names MongoDB merges ranges of the index, and reads one entry of each.
    deliveries
      .find({ ...filter, event: { $in: [...deliveredEventNames] } }, { hint })
      .project<Pick<DeliveryDocument, 'createdAt'>>({ createdAt: 1 })
      .sort({ _id: 1 })
      .limit(1)
      .next(),
  ]);
  return { ...capped(count), oldestAt: oldest?.createdAt ?? null };
}

// Of the first of all applications: an index of each would cost every event.
async function countUndispatched({ events }: Store, appUid: string): Promise<BacklogCount> {
  const firstMax = countMax + 1;
  const waiting = events.aggregate<{ count: number; own: number }>(
    [
      { $match: { dispatchedAt: null } },
      { $limit: firstMax },
      {
        $group: {
          _id: null,
          count: { $sum: 1 },
          own: { $sum: { $cond: [{ $eq: ['$appUid', appUid] }, 1, 0] } },
        },
      },
    ],
    { hint: 'toDispatch' },
  );
  const { count = 0, own = 0 } = (await waiting.next()) ?? {};
  return { count: Math.min(own, countMax), countIsCapped: count > countMax };
}

function capped(count: number): BacklogCount {
  return { count: Math.min(count, countMax), countIsCapped: count > countMax };
}
