// Waits for the end of all work, and reads the documents that the judge compares.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import type { Documents } from './history.ts';

const pollMs = 1_000;
const timeoutMsDefault = 180_000;

/** Counts what is not done yet. An erasure makes its second pass five minutes later. */
async function countOpen(db: Db): Promise<Record<string, number>> {
  const count = (name: string, filter: Document): Promise<number> =>
    db.collection(name).countDocuments(filter);
  const [deliveries, events, jobs, unmade] = await Promise.all([
    count('deliveries', { state: { $in: ['pending', 'retrying', 'held'] } }),
    count('events', { dispatchedAt: null }),
    count('jobs', { state: { $in: ['waiting', 'running'] }, pass: { $ne: 2 } }),
    countUnmade(db),
  ]);
  return { deliveries, events, jobs, unmade };
}

/** Counts the deliveries that events have and that are not recorded. */
async function countUnmade(db: Db): Promise<number> {
  const size = { $group: { _id: null, count: { $sum: { $size: '$webhookUids' } } } };
  const [[wanted], made] = await Promise.all([
    db.collection('events').aggregate<{ count: number }>([size]).toArray(),
    db.collection('deliveries').countDocuments(),
  ]);
  return Math.max(0, (wanted?.count ?? 0) - made);
}

/** Waits until nothing is open, or the time is up. Returns what is still open. */
export async function settle(
  db: Db,
  timeoutMs = timeoutMsDefault,
): Promise<Record<string, number>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const open = await countOpen(db);
    const isDone = Object.values(open).every((count) => count === 0);
    if (isDone || performance.now() > deadlineMs) return open;
    await sleep(pollMs);
  }
}

export async function readDocuments(db: Db): Promise<Documents> {
  const read = (name: string): Promise<Document[]> => db.collection(name).find().toArray();
  const readAtMs = Date.now();
  const [events, deliveries] = await Promise.all(['events', 'deliveries'].map(read));
  return {
    readAtMs,
    events: events ?? [],
    deliveries: deliveries ?? [],
  };
}
