// Checks the caller's API key: one credential, known and alive; then whether it may make the call.
import { hashApiKey, parseApiKey, sameHash } from '../../lib/access/api-key.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { Scope } from '../../lib/model/api-key.ts';
import { isKeyAlive } from '../../lib/access/api-keys.ts';
import { isActive } from '../../lib/access/apps.ts';
import type { ApiContext } from '../context.ts';
import { headerValues } from '../http/raw-headers.ts';
import type { FoundApiKey } from './api-key-reader.ts';

// As long as a hash, and equal to none that can be found.
const noHash = '0'.repeat(64);

/**
 * Gives the key a request carries, in `x-api-key` or as a Bearer credential.
 * Throws `credentials_conflict` for more than one, `unauthenticated` (one text for absent, unknown,
 * revoked and expired alike).
 */
export async function authenticate(
  context: ApiContext,
  rawHeaders: readonly string[],
): Promise<FoundApiKey> {
  const text = readCredential(rawHeaders);
  const parsed = parseApiKey(text);
  // A mistyped key is refused by its checksum, without a read.
  if (parsed === null) throw unauthenticated();
  const hash = hashApiKey(text, context.config.keyPepper);
  const key = await context.findApiKey(parsed.keyId);
  // An unknown key costs the same work as a wrong one.
  const matches = sameHash(hash, key?.secretHash ?? noHash);
  if (!matches || key === null || !isKeyAlive(key, context.clock.now())) throw unauthenticated();
  context.recordKeyUse(key._id, key.lastUsedAt);
  return key;
}

/**
 * Gives the error that keeps a valid key from a call, or null: `not_found` for another application's
 * path, `app_disabled`, `insufficient_scope`.
 */
export function refusalOf(
  key: FoundApiKey,
  wanted: { appUid: string; scope: Scope },
): AppError | null {
  if (key.appUid !== wanted.appUid) {
    return new AppError('not_found', 'there is no such application');
  }
  if (!isActive(key.app)) {
    const detail = 'this application is disabled; an owner can enable it in the admin area';
    return new AppError('app_disabled', detail);
  }
  if (!key.scopes.includes(wanted.scope)) {
    return new AppError('insufficient_scope', `this call needs the scope ${wanted.scope}`);
  }
  return null;
}

function readCredential(rawHeaders: readonly string[]): string {
  const apiKeys = headerValues(rawHeaders, 'x-api-key');
  const authorizations = headerValues(rawHeaders, 'authorization');
  if (apiKeys.length + authorizations.length > 1) {
    throw new AppError(
      'credentials_conflict',
      'send one credential: x-api-key or Authorization, once',
    );
  }
  const [apiKey] = apiKeys;
  if (apiKey !== undefined) return apiKey.trim();
  return /^Bearer +(\S+)$/i.exec(authorizations[0]?.trim() ?? '')?.[1] ?? '';
}

function unauthenticated(): AppError {
  return new AppError(
    'unauthenticated',
    'send a valid API key in x-api-key, or as a Bearer credential',
  );
}
