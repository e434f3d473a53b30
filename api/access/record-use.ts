// Notes when a key or a session was last used: seldom, and never at a request's expense.
import type { Clock } from '../../lib/platform/clock.ts';
import { createTouch } from '../../lib/concurrency/touch.ts';
import { httpLog } from '../../lib/platform/logger.ts';

const recordEveryMs = 60_000;

/** Takes note that the thing with a uid is used now; `lastUsedAt` is what was stored when it was read. */
export type UseRecorder = (uid: string, lastUsedAt: Date | undefined) => void;

/**
 * Makes a noter over `write`, which is called at most once a minute a thing, whatever the number of
 * requests. The request does not wait for it, and a failure is a line in the log. `write` gets the
 * time before which the stored one must be, so that several processes write no more than one does.
 */
export function createUseRecorder(
  clock: Clock,
  write: (uid: string, at: { now: Date; before: Date }) => Promise<unknown>,
): UseRecorder {
  const touch = createTouch(recordEveryMs);
  return (uid, lastUsedAt) => {
    const now = clock.now();
    if (!touch(uid, now, lastUsedAt)) return;
    const before = new Date(now.getTime() - recordEveryMs);
    write(uid, { now, before }).catch((error: unknown) => {
      httpLog.warn({ err: error, uid }, 'last_used.update_failed');
    });
  };
}
