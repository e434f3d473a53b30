import type { Collection } from 'mongodb';
import type { AdminSessionDocument } from '../../lib/model/admin-session.ts';
import type { ApiKeyDocument } from '../../lib/model/api-key.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { throttleById } from '../../lib/concurrency/throttle-by-id.ts';
import { httpLog } from '../../lib/platform/logger.ts';

const recordEveryMs = 60_000;

export type UseRecorder = (uid: string, lastUsedAt: Date | null) => void;

/** Writes at most once a minute per document, across all processes. Requests do not wait for it. */
export function createUseRecorder(
  clock: Clock,
  collection: Collection<ApiKeyDocument> | Collection<AdminSessionDocument>,
): UseRecorder {
  const isDue = throttleById(recordEveryMs);
  return (uid, lastUsedAt) => {
    const now = clock.now();
    if (!isDue(uid, now, lastUsedAt)) return;
    const before = new Date(now.getTime() - recordEveryMs);
    const isOld = { _id: uid, lastUsedAt: { $not: { $gt: before } } };
    collection.updateOne(isOld, { $set: { lastUsedAt: now } }).catch((error: unknown) => {
      httpLog.warn({ err: error, uid }, 'last_used.update_failed');
    });
  };
}
