import { dayMs } from '../platform/duration.ts';
import type { ApiKeyDocument } from '../model/api-key.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { recordNotice } from './notices.ts';

const noticeBeforeMs = 7 * dayMs;
const batchMax = 200;

/** Records a notice for each key that expires within seven days. Returns their number, and whether more may be due. */
export async function reportExpiringKeys(
  store: Store,
  now: Date,
): Promise<{ count: number; more: boolean }> {
  const due = await store.apiKeys
    .find({
      expiresAt: { $gt: now, $lte: new Date(now.getTime() + noticeBeforeMs) },
      revokedAt: null,
      expiryReportedAt: null,
    })
    .sort({ expiresAt: 1 })
    .limit(batchMax)
    .toArray();
  let count = 0;
  for (const key of due) count += await reportExpiring(store, { key, now });
  return { count, more: due.length === batchMax };
}

// A key that was rolled since the read expires sooner: the next pass reports the new time.
async function reportExpiring(
  store: Store,
  { key, now }: { key: ApiKeyDocument; now: Date },
): Promise<number> {
  const { _id, appUid, keyId, name, scopes, expiresAt, lastUsedAt, rolledTo } = key;
  if (expiresAt === null) return 0;
  return inTransaction(store, async (session) => {
    const { modifiedCount } = await store.apiKeys.updateOne(
      { _id, expiresAt, revokedAt: null, expiryReportedAt: null },
      { $set: { expiryReportedAt: now } },
      { session },
    );
    if (modifiedCount === 0) return 0;
    const data = { uid: _id, keyId, name, scopes, expiresAt, lastUsedAt, rolledTo };
    await recordNotice(store, { appUid, event: 'apikey.expiring', data, now }, session);
    return 1;
  });
}
