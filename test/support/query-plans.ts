// What MongoDB really did for a piece of work: its operations, and the indexes that their plans read.
import type { Document } from 'mongodb';
import type { Store } from '../../lib/mongo/connect.ts';

/** Runs `work` and gives what MongoDB noted of each operation on a collection, but for inserts. */
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
  const noted = db.collection('system.profile').find({ ns, planSummary: { $exists: true } });
  return noted.toArray();
}

/** Gives the indexes that a plan reads, each as it is named in the table. */
export function indexesOf(stage: Document, collection: string): Set<string> {
  const below = [stage['inputStage'], ...((stage['inputStages'] as Document[] | undefined) ?? [])];
  const own = stage['indexName'] === undefined ? [] : [`${collection}.${stage['indexName']}`];
  const rest = below.filter((each) => each !== undefined);
  return new Set([...own, ...rest.flatMap((each) => [...indexesOf(each as Document, collection)])]);
}
