import { randomBytes } from 'node:crypto';
import type { ClientSession, Document } from 'mongodb';
import type { CountedResource } from '../model/sequence.ts';
import type { Store } from './connect.ts';
import { readFloor } from './sequence-floor.ts';

/** Returns the ID of the counter of a resource's changes. */
export function sequenceId({ appUid, entity, resourceUid }: CountedResource): string {
  return `${appUid}/${entity}/${resourceUid}`;
}

/** Returns the next number for each entry, in the transaction of the changes, so that events commit in order. */
export async function countInTransaction(
  store: Store,
  ids: readonly string[],
  session: ClientSession,
): Promise<number[]> {
  const counts = tally(ids);
  const [only] = counts;
  if (only === undefined) return [];
  const floor = await floorFor(store, ids);
  if (counts.size === 1) return number(ids, new Map([await add(store, only, { floor, session })]));
  await store.sequences.bulkWrite(
    [...counts].map(([_id, count]) => ({
      updateOne: { filter: { _id }, update: [raise({ _id, count, floor })], upsert: true },
    })),
    { session, ordered: false },
  );
  const counted = { _id: { $in: [...counts.keys()] } };
  const found = await store.sequences.find(counted, { session }).toArray();
  return number(ids, new Map(found.map(({ _id, last }) => [_id, last])));
}

/** Counts outside a transaction, with one acknowledgement: the event itself is written later, with a majority. */
export async function countReports(store: Store, ids: readonly string[]): Promise<number[]> {
  const counts = tally(ids);
  const [only] = counts;
  if (only === undefined) return [];
  const floor = await floorFor(store, ids);
  const counted =
    counts.size === 1
      ? [await add(store, only, { floor })]
      : await addTogether(store, counts, floor);
  return number(ids, new Map(counted));
}

// Numbers in a partition have no gaps, so they begin at 1 after a restore, too.
const isOfPartition = (id: string): boolean => id.startsWith('whk_');

async function floorFor(store: Store, ids: readonly string[]): Promise<number> {
  return ids.every(isOfPartition) ? 0 : readFloor(store);
}

interface Raise {
  _id: string;
  count: number;
  floor: number;
}

function raise({ _id, count, floor }: Raise): Document {
  const last = { $ifNull: ['$last', isOfPartition(_id) ? 0 : floor] };
  return { $set: { last: { $add: [last, count] } } };
}

function tally(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

// Other processes may count between the update and the read, so each update stores its own result.
const countsKept = 8;

// One command for all resources: a `findAndModify` for each costs three times as much.
async function addTogether(
  store: Store,
  counts: ReadonlyMap<string, number>,
  floor: number,
): Promise<[string, number][]> {
  const by = randomBytes(8).toString('base64url');
  await store.sequences.bulkWrite(
    [...counts].map(([_id, count]) => ({
      updateOne: { filter: { _id }, update: countFor(by, { _id, count, floor }), upsert: true },
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
      return last === undefined ? add(store, entry, { floor }) : [_id, last];
    }),
  );
}

function countFor(by: string, raised: Raise): Document[] {
  const latest = [[{ by, last: '$last' }], { $ifNull: ['$counted', []] }];
  return [
    raise(raised),
    { $set: { counted: { $slice: [{ $concatArrays: latest }, countsKept] } } },
  ];
}

async function add(
  store: Store,
  [_id, count]: readonly [string, number],
  { floor, session }: { floor: number; session?: ClientSession },
): Promise<[string, number]> {
  const counted = await store.sequences.findOneAndUpdate({ _id }, [raise({ _id, count, floor })], {
    upsert: true,
    returnDocument: 'after',
    ...(session === undefined ? { writeConcern: { w: 1 } } : { session }),
  });
  if (counted === null) throw new Error('an upsert returned no document');
  return [_id, counted.last];
}

/** Numbers the entries of each ID in their order; the last entry gets the number in `lasts`. */
function number(ids: readonly string[], lasts: Map<string, number>): number[] {
  const rest = tally(ids);
  return ids.map((id) => {
    const after = (rest.get(id) ?? 1) - 1;
    rest.set(id, after);
    return (lasts.get(id) ?? 0) - after;
  });
}
