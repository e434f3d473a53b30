// The audit log: who did what to which thing, from where. Rows are only ever added.
import type { ClientSession } from 'mongodb';
import { newId } from '../ids.ts';
import { within } from './connect.ts';
import type { Store } from './connect.ts';

/**
 * Who acts: the holder of an API key, an admin of the admin area, someone who has not shown who he
 * is (a sign-in that failed), or the service itself.
 */
export interface Actor {
  kind: 'api_key' | 'admin' | 'anonymous' | 'system';
  /** The key's or the admin's uid; null for the other two. */
  uid: string | null;
}

/** The caller of a request, as the audit log names it. */
export interface Caller {
  actor: Actor;
  /** The address that the request came from. */
  address: string | null;
  requestId: string | null;
}

/** What the service does of itself, or on the command line, is done by nobody that it knows. */
export const systemCaller: Caller = {
  actor: { kind: 'system', uid: null },
  address: null,
  requestId: null,
};

/** What a row says was done. `details` holds names and values that are no secrets. */
export interface AuditEntry {
  /** Null for what concerns no application. */
  appUid: string | null;
  /** The noun and the past participle, such as `webhook.created`. */
  action: string;
  target: { kind: string; uid: string };
  details?: Record<string, unknown>;
}

export interface AuditDocument extends Required<AuditEntry>, Caller {
  _id: string;
  createdAt: Date;
}

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
