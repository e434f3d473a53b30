// Counts undelivered work; each query reads a bounded number of index entries.
import { jobLimits, statisticsLimits } from '../limits.ts';
import type { openStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';

const countMax = jobLimits.countedDeliveriesMax;
const { undispatchedReadMax } = statisticsLimits;

export interface BacklogCount {
  count: number;
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
    // With all event names, MongoDB merges ranges of the index and reads one entry of each.
    deliveries
      .find({ ...filter, event: { $in: [...deliveredEventNames] } }, { hint })
      .project<Pick<DeliveryDocument, 'createdAt'>>({ createdAt: 1 })
      .sort({ _id: 1 })
      .limit(1)
      .next(),
  ]);
  return { ...capped(count), oldestAt: oldest?.createdAt ?? null };
}

// Reads whole events, since no index has their applications; only a few, because this runs often and during outages.
async function countUndispatched({ events }: Store, appUid: string): Promise<BacklogCount> {
  const first = await events
    .find({ dispatchedAt: null }, { hint: 'toDispatch', projection: { appUid: 1 } })
    .limit(undispatchedReadMax + 1)
    .toArray();
  const own = first.slice(0, undispatchedReadMax).filter((event) => event.appUid === appUid);
  return { count: own.length, countIsCapped: first.length > undispatchedReadMax };
}

function capped(count: number): BacklogCount {
  return { count: Math.min(count, countMax), countIsCapped: count > countMax };
}
