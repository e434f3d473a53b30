import { userTokenKeys, webhookKeys } from '../../lib/identity/key-owner.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import {
  checkIdOf,
  describeSecret,
  findMissingChecks,
  type Secrets,
} from '../../lib/mongo/secret-checks.ts';
import { createSecretBox, type SecretBox } from '../../lib/platform/secret-box.ts';
import { secretLocation } from '../../lib/webhooks/secrets.ts';

/**
 * Writes the missing check values. Throws an Error that names a setting that is not that of an earlier setup, or a key
 * that does not open the stored data.
 */
export async function ensureSecretChecks(store: Store, secrets: Secrets): Promise<void> {
  const missing = await findMissingChecks(store, secrets);
  const box = createSecretBox(secrets.sealingKeys);
  for (const { id } of secrets.sealingKeys) {
    if (missing.some(({ _id }) => _id === checkIdOf(id))) await tryToOpen(store, box, id);
  }
  for (const { _id, check } of missing) {
    await store.secretChecks.updateOne({ _id }, { $setOnInsert: { check } }, { upsert: true });
  }
  // A concurrent setup may have been first, with other secrets.
  await findMissingChecks(store, secrets);
}

async function tryToOpen(store: Store, box: SecretBox, keyId: string): Promise<void> {
  const found = await findSealed(store, keyId);
  if (found === null) return;
  try {
    box.open(found.secret, found.location);
  } catch (cause) {
    const key = describeSecret({ _id: checkIdOf(keyId) });
    const fault = `${key} does not open ${found.location}, which a key of this id encrypted`;
    throw new Error(fault, { cause });
  }
}

async function findSealed(
  store: Store,
  keyId: string,
): Promise<{ secret: WebhookDocument['secret']; location: string } | null> {
  const byKey = { 'privateKey.keyId': keyId };
  const own = await store.signingKeys.findOne(byKey);
  if (own !== null)
    return { secret: own.privateKey, location: userTokenKeys(store).locationOf(own._id) };
  const webhook = await store.webhooks.findOne({ 'secret.keyId': keyId });
  if (webhook !== null) return { secret: webhook.secret, location: secretLocation(webhook) };
  const ofApp = await store.webhookKeys.findOne(byKey);
  if (ofApp === null) return null;
  const { appUid = '', privateKey, _id } = ofApp;
  return { secret: privateKey, location: webhookKeys(store, appUid).locationOf(_id) };
}
