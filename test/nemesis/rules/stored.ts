// The fields of documents that the rules read.
import type { Document } from 'mongodb';

export interface StoredEvent extends Document {
  _id: string;
  appUid: string;
  event: string;
  entity: string;
  resourceUid: string;
  externalTenantId: string;
  sequence: number | null;
  order: { webhookUid: string }[];
  /** Empty once erased. */
  body: string;
  erasedAt: Date | null;
  webhookUids: string[];
  syncUid?: string;
}

export interface StoredDelivery extends Document {
  appUid: string;
  eventId: string;
  webhookUid: string;
  state: string;
  cancelReason: string | null;
  attemptCount: number;
  scheduleFrom: number;
  attempts: { n: number; status: number | null }[];
}

/** Of changes: not of syncs, tests, notices and revocations. */
export function isOfChange({ sequence, syncUid }: StoredEvent): boolean {
  return sequence !== null && syncUid === undefined;
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function countBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
