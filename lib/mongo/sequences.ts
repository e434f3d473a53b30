import { randomBytes } from 'node:crypto';
import type { ClientSession, Document } from 'mongodb';
import type { CountedResource } from '../model/sequence.ts';
import type { Store } from './connect.ts';

function idOf({ appUid, entity, resourceUid }: CountedResource): string {
  return `${appUid}/${entity}/${resourceUid}`;
}

/** Returns a number per entry, from 1 on. Within the transaction of the changes, so that events commit in order. */
export async function countChanges(
  store: Store,
  resources: readonly CountedResource[],
  session: ClientSession,
): Promise<number[]> {
  const counts = tally(resources);
  const [only] = counts;
  if (only === undefined) return [];
  if (counts.size === 1) return number(resources, new Map([await add(store, only, session)]));
  const ids = [...counts.keys()];
  await store.sequences.bulkWrite(
    [...counts].map(([_id, count]) => ({
      updateOne: { filter: { _id }, update: { $inc: { last: count } }, upsert: true },
    })),
    { session, ordered: false },
  );
  const found = await store.sequences.find({ _id: { $in: ids } }, { session }).toArray();
  return number(resources, new Map(found.map(({ _id, last }) => [_id, last])));
}

/** Counts, alone, outside a transaction. One server acknowledges: the event is written later, with a majority. */
export async function countReports(
  store: Store,
  resources: readonly CountedResource[],
): Promise<number[]> {
  const counts = tally(resources);
  const [only] = counts;
  if (only === undefined) return [];
  const counted = counts.size === 1 ? [await add(store, only)] : await addTogether(store, counts);
  return number(resources, new Map(counted));
}

function tally(resources: readonly CountedResource[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const id = idOf(resource);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

// Other processes may count the same resources between the update and the read, so each update leaves what it got.
const countsKept = 8;

// One command for all: a `findAndModify` for each costs three times as much.
async function addTogether(
  store: Store,
  counts: ReadonlyMap<string, number>,
): Promise<[string, number][]> {
  const by = randomBytes(8).toString('base64url');
  await store.sequences.bulkWrite(
    [...counts].map(([_id, count]) => ({
      updateOne: { filter: { _id }, update: countFor(by, count), upsert: true },
    })),
    { ordered: false, writeConcern: { w: 1 } },
  );
  const found = await store.sequences
    .find({ _id: { $in: [...counts.keys()] } }, { readConcern: { level: 'local' } })
    .toArray();
  const counted = new Map(
    found.map(({ _id, counted: latest = [] }) => [_id, latest.find((each) => each.by === by)]),
  );
  return Promise.all(
    [...counts].map(async (entry): Promise<[string, number]> => {
      const [_id] = entry;
      const last = counted.get(_id)?.last;
      return last === undefined ? add(store, entry) : [_id, last];
    }),
  );
}

function countFor(by: string, count: number): Document[] {
  const latest = [[{ by, last: '$last' }], { $ifNull: ['$counted', []] }];
  return [
    { $set: { last: { $add: [{ $ifNull: ['$last', 0] }, count] } } },
    { $set: { counted: { $slice: [{ $concatArrays: latest }, countsKept] } } },
  ];
}

async function add(
  store: Store,
  [_id, count]: readonly [string, number],
  session?: ClientSession,
): Promise<[string, number]> {
  const counted = await store.sequences.findOneAndUpdate(
    { _id },
    { $inc: { last: count } },
    {
      upsert: true,
      returnDocument: 'after',
      ...(session === undefined ? { writeConcern: { w: 1 } } : { session }),
    },
  );
  if (counted === null) throw new Error('an upsert returned no document');
  return [_id, counted.last];
}

/** Numbers the entries of each resource in their order; the last one gets `last`. */
function number(resources: readonly CountedResource[], lasts: Map<string, number>): number[] {
  const rest = tally(resources);
  return resources.map((resource) => {
    const id = idOf(resource);
    const after = (rest.get(id) ?? 1) - 1;
    rest.set(id, after);
    return (lasts.get(id) ?? 0) - after;
  });
}
