// MongoDB's profile of some work: its operations, and the indexes that their plans read.
import type { Document } from 'mongodb';
import type { Store } from '../../lib/mongo/connect.ts';

/** Runs `work` and returns MongoDB's profile of each operation on a collection, except inserts. */
export async function profile(
  { db }: Store,
  collection: string,
  work: () => Promise<unknown>,
): Promise<Document[]> {
  await db.command({ profile: 0 });
  await db.collection('system.profile').drop();
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const ns = `${db.databaseName}.${collection}`;
  const profiled = db.collection('system.profile').find({ ns, planSummary: { $exists: true } });
  return profiled.toArray();
}

/** Returns the indexes that a plan reads, by their names in the table. */
export function indexesOf(stage: Document, collection: string): Set<string> {
  const below = [stage['inputStage'], ...((stage['inputStages'] as Document[] | undefined) ?? [])];
  const own = stage['indexName'] === undefined ? [] : [`${collection}.${stage['indexName']}`];
  const rest = below.filter((each) => each !== undefined);
  return new Set([...own, ...rest.flatMap((each) => [...indexesOf(each as Document, collection)])]);
}
