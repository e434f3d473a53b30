// A dump of the database as of one moment, like `mongodump --oplog`, and its restore into an empty database.
import type { Document } from 'mongodb';
import type { Store } from '../../lib/mongo/connect.ts';
import { ensureIndexes } from '../../lib/mongo/indexes.ts';

export type Dump = ReadonlyMap<string, readonly Document[]>;

/** Reads all collections in one snapshot. */
export async function dump({ client, db }: Store): Promise<Dump> {
  // That of the store would override that of the session.
  const readConcern = { level: 'snapshot' } as const;
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const read = new Map<string, Document[]>();
  await client.withSession({ snapshot: true }, async (session) => {
    for (const { name } of collections) {
      read.set(name, await db.collection(name).find({}, { session, readConcern }).toArray());
    }
  });
  return read;
}

/** Replaces the whole database with a dump. */
export async function restore(store: Store, dumped: Dump): Promise<void> {
  await store.db.dropDatabase();
  await ensureIndexes(store);
  for (const [name, documents] of dumped) {
    if (documents.length > 0) await store.db.collection(name).insertMany([...documents]);
  }
}
