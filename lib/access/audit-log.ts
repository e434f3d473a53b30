// The audit log: who did what to which thing, from where. Rows are only ever added.
import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AuditEntry, Caller } from '../model/audit-log.ts';
import { type Store, within } from '../mongo/connect.ts';

/** Whose the rows are, and when; with the session of the change they tell about. */
export interface AuditOccasion {
  caller: Caller;
  now: Date;
  session?: ClientSession;
}

/**
 * Adds a row. With the session of the change it tells about, so that neither is there without the
 * other.
 */
export async function recordAudit(
  store: Store,
  entry: AuditEntry,
  occasion: AuditOccasion,
): Promise<void> {
  await recordAudits(store, [entry], occasion);
}

/** The same for a change that is several things at once: a row each, at least one. */
export async function recordAudits(
  store: Store,
  entries: readonly AuditEntry[],
  { caller, now, session }: AuditOccasion,
): Promise<void> {
  const rows = entries.map((entry) => ({
    _id: newId('aud', now),
    details: {},
    ...entry,
    ...caller,
    createdAt: now,
  }));
  await store.auditLog.insertMany(rows, within(session));
}
