import type { Document } from 'mongodb';
import type { Store } from '../../lib/mongo/connect.ts';
import { round } from './distribution.ts';

type Operations = Readonly<Record<string, number>>;

/** Reads MongoDB's own count of operations since its start, by kind. */
export async function readOperations(store: Store): Promise<Operations> {
  const status: Document = await store.client.db('admin').command({ serverStatus: 1 });
  const { opcounters } = status as { opcounters: Record<string, unknown> };
  const counters = Object.entries(opcounters).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(counters) as Record<string, number>;
}

/** Returns the operations between two readings, divided by `count`. */
export function operationsEach(
  before: Operations,
  after: Operations,
  count: number,
): Record<string, number> {
  const each: Record<string, number> = {};
  for (const [kind, value] of Object.entries(after)) {
    const perEvent = round((value - (before[kind] ?? 0)) / Math.max(1, count));
    if (perEvent > 0) each[kind] = perEvent;
  }
  return each;
}
