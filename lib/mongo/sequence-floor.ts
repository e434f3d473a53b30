// New counters begin above the floor, because a restored database has forgotten some (docs/backup.md).
import { secondMs } from '../platform/duration.ts';
import type { Store } from './connect.ts';

/** The ID of its document in `sequences`; counters have a slash in theirs. */
export const floorId = 'floor';

/** How long a process uses the floor that it has read. */
export const floorKeptMs = 3 * secondMs;

interface Known {
  floor: Promise<number>;
  untilMs: number;
}

const knownFloors = new WeakMap<Store, Known>();

/** Returns the floor, at most `floorKeptMs` old. Concurrent callers share a read. */
export function readFloor(store: Store): Promise<number> {
  const known = knownFloors.get(store);
  if (known !== undefined && performance.now() < known.untilMs) return known.floor;
  // A local read on the primary: a majority read may be older.
  const options = { readConcern: { level: 'local' } } as const;
  const floor = store.sequences
    .findOne({ _id: floorId }, options)
    .then((found) => found?.last ?? 0);
  const next = { floor, untilMs: performance.now() + floorKeptMs };
  knownFloors.set(store, next);
  floor.catch(() => {
    if (knownFloors.get(store) === next) knownFloors.delete(store);
  });
  return floor;
}

/** Makes this process read the floor again. */
export function forgetFloor(store: Store): void {
  knownFloors.delete(store);
}
