// Counts the results of attempts by minute, in the background.
import { setTimeout as sleep } from 'node:timers/promises';
import { statisticsLimits } from '../lib/limits.ts';
import type { Store } from '../lib/mongo/connect.ts';
import type { Clock } from '../lib/platform/clock.ts';
import { statisticsLog } from '../lib/platform/logger.ts';
import { countMinutes } from '../lib/statistics/count-minutes.ts';

const { countEveryMs, countBackoffMsMax } = statisticsLimits;

/** Counts until `signal` aborts, and backs off while MongoDB is unavailable. Never rejects. */
export async function runStatistics(
  ports: { store: Store; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  let waitMs: number = countEveryMs;
  while (!signal.aborted) {
    try {
      // After downtime there are many minutes to count.
      waitMs = (await countMinutes(ports.store, ports.clock.now())) ? 0 : countEveryMs;
    } catch (error) {
      waitMs = Math.min(countBackoffMsMax, Math.max(countEveryMs, 2 * waitMs));
      statisticsLog.warn({ err: error, waitMs }, 'statistics.backing_off');
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
