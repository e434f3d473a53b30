// MongoDB's profile of some work: its operations, and the indexes that their plans read.
import type { Document } from 'mongodb';
import type { Store } from '../../lib/mongo/connect.ts';

/**
 * Runs `work` and returns MongoDB's profile of each operation on a collection, except inserts. Runs it again if the
 * profile is empty, as it was once on a busy machine.
 */
export async function profile(
  { db }: Store,
  collection: string,
  work: () => Promise<unknown>,
): Promise<Document[]> {
  const ns = `${db.databaseName}.${collection}`;
  const profileOnce = async (): Promise<Document[]> => {
    await db.command({ profile: 0 });
    await db.collection('system.profile').drop();
    await db.command({ profile: 2 });
    await work();
    await db.command({ profile: 0 });
    return db
      .collection('system.profile')
      .find({ ns, planSummary: { $exists: true } })
      .toArray();
  };
  const profiled = await profileOnce();
  return profiled.length > 0 ? profiled : profileOnce();
}

/** Returns the indexes that a plan reads, by their names in the table. */
export function indexesOf(stage: Document, collection: string): Set<string> {
  const below = [stage['inputStage'], ...((stage['inputStages'] as Document[] | undefined) ?? [])];
  const own = stage['indexName'] === undefined ? [] : [`${collection}.${stage['indexName']}`];
  const rest = below.filter((each) => each !== undefined);
  return new Set([...own, ...rest.flatMap((each) => [...indexesOf(each as Document, collection)])]);
}

/** Returns the index of the only distinct scan that `work` makes, and the documents that it read. */
export async function distinctScan(
  store: Store,
  collection: string,
  work: () => Promise<unknown>,
): Promise<{ indexes: Set<string>; docsExamined: number }> {
  const profiles = await profile(store, collection, work);
  const [scan] = profiles.filter(({ command }) => 'distinct' in ((command ?? {}) as Document));
  if (scan === undefined) throw new Error('there was no distinct scan');
  const indexes = indexesOf(scan['execStats'] as Document, collection);
  return { indexes, docsExamined: Number(scan['docsExamined']) };
}
