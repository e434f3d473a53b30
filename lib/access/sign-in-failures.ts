import { dayMs } from '../platform/duration.ts';
import type { Caller } from '../model/audit-log.ts';
import { recordAudit } from './audit-log.ts';
import type { Store } from '../mongo/connect.ts';

export interface SignInFailure {
  /** Null if there is no such admin. */
  adminUid: string | null;
  method: 'password' | 'oidc';
  email: string;
  reason?: string;
}

const rowsADayMax = 10;

/** Adds an audit row for the first ten failures of a day (UTC), per admin and for all unknown emails together. */
export async function recordSignInFailure(
  store: Store,
  { adminUid, ...details }: SignInFailure,
  { caller, now }: { caller: Caller; now: Date },
): Promise<void> {
  const uid = adminUid ?? 'unknown';
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const counted = await store.rateCounts.findOneAndUpdate(
    { _id: `sign_in_failed|${uid}|${day}` },
    { $inc: { count: 1 }, $setOnInsert: { expiresAt: new Date(now.getTime() + 2 * dayMs) } },
    { upsert: true, returnDocument: 'after' },
  );
  const failuresOfDay = counted?.count ?? 1;
  if (failuresOfDay > rowsADayMax) return;
  const target = { kind: 'admin', uid };
  const entry = { appUid: null, action: 'admin.sign_in_failed', target };
  await recordAudit(store, { ...entry, details: { ...details, failuresOfDay } }, { caller, now });
}
