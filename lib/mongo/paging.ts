import {
  BSON,
  type Collection,
  type Document,
  type Filter,
  type FindCursor,
  type WithId,
} from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { idAt, type IdPrefix } from '../platform/ids.ts';
import { limits } from '../limits.ts';
import type { SnapshotRead } from './snapshot.ts';

export interface PageRequest {
  limit: number;
  after: string | null;
}

export interface Page<T> {
  items: T[];
  /** The `after` of the next page; null on the last one. */
  lastUid: string | null;
}

/** `since` is inclusive, `until` exclusive; null means no bound. */
export interface TimeRange {
  since: Date | null;
  until: Date | null;
}

/** Returns a filter by creation time; uids sort by time, so the index for paging serves it. */
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

/** A filter, and the name of the index that serves it. */
export interface Search<T> {
  filter: Filter<T>;
  hint: string;
}

interface PageOptions {
  projection?: Readonly<Record<string, 0>>;
  hint?: string;
  snapshot?: SnapshotRead;
}

/** Reads in descending order of `_id`; rows added meanwhile shift no page. `Row` is `T` without the excluded fields. */
export async function readPage<
  T extends Document & { _id: string },
  Row extends { _id: string } = WithId<T>,
>(
  collection: Collection<T>,
  filter: Filter<T>,
  { limit, after, projection = {}, hint, snapshot }: PageRequest & PageOptions,
): Promise<Page<Row>> {
  const from = after === null ? filter : ({ ...filter, _id: { $lt: after } } as Filter<T>);
  const rows = collection
    .find<Row>(from, { projection, ...(hint === undefined ? {} : { hint }), ...snapshot })
    .sort({ _id: -1 })
    .limit(limit + 1);
  const { items, isCut } = await takeItems(rows, limit);
  return { items, lastUid: isCut ? (items.at(-1)?._id ?? null) : null };
}

/** For documents of up to 256 KiB: MongoDB would return up to 16 MiB at a time. */
export const largeBatch = { batchSize: 20 } as const;

/** Reads up to `limit` items, or fewer if they exceed `bytesMax`, but at least one. `isCut`: there are more. */
export async function takeItems<Row extends Document>(
  rows: FindCursor<Row>,
  limit: number,
  bytesMax: number = limits.pageBytesMax,
): Promise<{ items: Row[]; isCut: boolean }> {
  const items: Row[] = [];
  let bytes = 0;
  for await (const row of inSlices(rows.batchSize(largeBatch.batchSize))) {
    bytes += BSON.calculateObjectSize(row);
    const isFull = items.length > 0 && bytes > bytesMax;
    if (isFull || items.length === limit) return { items, isCut: true };
    items.push(row);
  }
  return { items, isCut: false };
}
