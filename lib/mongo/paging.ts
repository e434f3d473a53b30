// Pages of a collection, newest first, that stay right while rows are added.
import {
  BSON,
  type Collection,
  type Document,
  type Filter,
  type FindCursor,
  type WithId,
} from 'mongodb';
import { idAt, type IdPrefix } from '../platform/ids.ts';
import { limits } from '../limits.ts';

export interface PageRequest {
  limit: number;
  /** The last uid of the page before, or null for the first page. */
  after: string | null;
}

export interface Page<T> {
  items: T[];
  /** The uid to go on after, or null when this page is the last. */
  lastUid: string | null;
}

/** The bounds of a list in time: from `since` on, before `until`; null is none. */
export interface TimeRange {
  since: Date | null;
  until: Date | null;
}

/** Gives the filter of rows that were made within a time: uids sort by it, so the index that pages has it. */
export function madeWithin(
  prefix: IdPrefix,
  { since, until }: TimeRange,
): { $and?: { _id: { $gte: string } | { $lt: string } }[] } {
  const bounds = [
    ...(since === null ? [] : [{ _id: { $gte: idAt(prefix, since) } }]),
    ...(until === null ? [] : [{ _id: { $lt: idAt(prefix, until) } }]),
  ];
  return bounds.length === 0 ? {} : { $and: bounds };
}

/**
 * Reads a page in descending order of `_id`: uids sort by creation time, so a row added meanwhile
 * lands before the first page and moves nothing behind it. A `projection` leaves out what the list
 * does not show; `Row` is what it leaves.
 */
export async function readPage<
  T extends Document & { _id: string },
  Row extends { _id: string } = WithId<T>,
>(
  collection: Collection<T>,
  filter: Filter<T>,
  { limit, after, projection = {} }: PageRequest & { projection?: Readonly<Record<string, 0>> },
): Promise<Page<Row>> {
  const from = after === null ? filter : ({ ...filter, _id: { $lt: after } } as Filter<T>);
  const rows = collection
    .find<Row>(from, { projection })
    .sort({ _id: -1 })
    .limit(limit + 1);
  const { items, isCut } = await takeItems(rows, limit);
  return { items, lastUid: isCut ? (items.at(-1)?._id ?? null) : null };
}

/**
 * Takes the items of a page from a cursor: so many, or fewer where they have more than
 * `limits.pageBytesMax` together, but one at least. Tells whether there are more.
 */
export async function takeItems<Row extends Document>(
  rows: FindCursor<Row>,
  limit: number,
): Promise<{ items: Row[]; isCut: boolean }> {
  const items: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    bytes += BSON.calculateObjectSize(row);
    const isFull = items.length > 0 && bytes > limits.pageBytesMax;
    if (isFull || items.length === limit) return { items, isCut: true };
    items.push(row);
  }
  return { items, isCut: false };
}
