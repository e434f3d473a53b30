import type { Clock } from '../platform/clock.ts';
import { hourMs, minuteMs } from '../platform/duration.ts';
import { processLog } from '../platform/logger.ts';
import type { Store } from './connect.ts';

const differenceMsMax = minuteMs;
const silentUntilMs = new WeakMap<Store, number>();

/** Returns the earlier of the times of this process and of MongoDB, for what nobody can undo if it is done too early. */
export async function agreedTime({ store, clock }: { store: Store; clock: Clock }): Promise<Date> {
  const now = clock.now();
  const { localTime } = (await store.db.command({ hello: 1 })) as unknown as { localTime: Date };
  const aheadMs = now.getTime() - localTime.getTime();
  if (Math.abs(aheadMs) > differenceMsMax && performance.now() >= (silentUntilMs.get(store) ?? 0)) {
    silentUntilMs.set(store, performance.now() + hourMs);
    processLog.warn({ aheadMs }, 'clock.differs');
  }
  return aheadMs > 0 ? localTime : now;
}
