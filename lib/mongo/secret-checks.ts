// Secrets that work only with the stored data: the setup keeps a check value of each, and processes compare it.
import { createHmac } from 'node:crypto';
import type { SecretCheckDocument } from '../model/secret-check.ts';
import type { SealingKey } from '../platform/secret-box.ts';
import type { Store } from './connect.ts';

export interface Secrets {
  keyPepper: string;
  sealingKeys: readonly SealingKey[];
}

/** Throws an Error that names the settings that are not those of the setup, or whose check value is missing. */
export async function checkSecrets(store: Store, secrets: Partial<Secrets>): Promise<void> {
  const missing = await findMissingChecks(store, secrets);
  if (missing.length === 0) return;
  const names = missing.map(describeSecret).join(', ');
  throw new Error(`the database has no check value of ${names}; run: npm run setup`);
}

/** Returns the missing check values. Throws an Error if a secret does not match its stored check value. */
export async function findMissingChecks(
  { secretChecks }: Store,
  secrets: Partial<Secrets>,
): Promise<SecretCheckDocument[]> {
  const checks = checksOf(secrets);
  const ids = checks.map(({ _id }) => _id);
  const stored = await secretChecks.find({ _id: { $in: ids } }).toArray();
  const byId = new Map(stored.map(({ _id, check }) => [_id, check]));
  const wrong = checks.find(({ _id, check }) => (byId.get(_id) ?? check) !== check);
  if (wrong === undefined) return checks.filter(({ _id }) => !byId.has(_id));
  throw new Error(
    `${describeSecret(wrong)} is not the one that this database was set up with; ` +
      'see docs/configuration.md, "What must never change"',
  );
}

// No other use of the pepper hashes a text with this prefix: theirs have another one, or are JSON.
function checksOf({ keyPepper, sealingKeys = [] }: Partial<Secrets>): SecretCheckDocument[] {
  const checkOf = (_id: string, secret: string | Buffer): SecretCheckDocument => {
    const check = createHmac('sha256', secret).update(`secret-check|${_id}`).digest('hex');
    return { _id, check };
  };
  const ofPepper = keyPepper === undefined ? [] : [checkOf('HERALD_KEY_PEPPER', keyPepper)];
  return [...ofPepper, ...sealingKeys.map(({ id, key }) => checkOf(checkIdOf(id), key))];
}

export function checkIdOf(keyId: string): string {
  return `HERALD_SECRET_KEYS/${keyId}`;
}

export function describeSecret({ _id }: Pick<SecretCheckDocument, '_id'>): string {
  const [setting = '', keyId] = _id.split('/');
  return keyId === undefined ? setting : `the key ${keyId} of ${setting}`;
}
