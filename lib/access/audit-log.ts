import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { AuditEntry, Caller } from '../model/audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

interface AuditContext {
  caller: Caller;
  now: Date;
  session?: ClientSession;
}

export async function recordAudit(
  store: Store,
  entry: AuditEntry,
  context: AuditContext,
): Promise<void> {
  await recordAudits(store, [entry], context);
}

/** Adds at least one row, in the transaction of its change if there is one. */
export async function recordAudits(
  store: Store,
  entries: readonly AuditEntry[],
  { caller, now, session }: AuditContext,
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
