import type { Store } from '../../lib/mongo/connect.ts';
import { findMissingChecks, type Secrets } from '../../lib/mongo/secret-checks.ts';

/** Writes the missing check values. Throws an Error that names a setting that is not that of an earlier setup. */
export async function ensureSecretChecks(store: Store, secrets: Secrets): Promise<void> {
  for (const { _id, check } of await findMissingChecks(store, secrets)) {
    await store.secretChecks.updateOne({ _id }, { $setOnInsert: { check } }, { upsert: true });
  }
  // A concurrent setup may have been first, with other secrets.
  await findMissingChecks(store, secrets);
}
