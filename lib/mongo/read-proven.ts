import type { ClientSession } from 'mongodb';
import { processLimits } from '../limits.ts';
import type { Store } from './connect.ts';

/**
 * Runs `read` after a proof that the primary has every write acknowledged before the call. A majority read alone may
 * miss some of them on a new primary. Rejects if MongoDB cannot give the proof now.
 */
export async function readProven<T>(
  store: Store,
  read: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return store.client.withSession(async (session) => {
    // A linearizable read commits an entry in the primary's own term, and the session reads nothing older.
    const readConcern = { level: 'linearizable' } as const;
    const options = { session, readConcern, maxTimeMS: processLimits.mongoTimeoutMs };
    await store.apps.findOne({ _id: '' }, options);
    return read(session);
  });
}

/** Returns null only if a proven read finds nothing, either. */
export async function findOrProveAbsent<T>(
  store: Store,
  find: (session?: ClientSession) => Promise<T | null>,
): Promise<T | null> {
  return (await find()) ?? readProven(store, find);
}
