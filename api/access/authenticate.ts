import { hashApiKey, parseApiKey, sameHash } from '../../lib/access/api-key.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { Scope } from '../../lib/model/api-key.ts';
import { isKeyAlive } from '../../lib/access/api-keys.ts';
import { isActive } from '../../lib/access/apps.ts';
import type { ApiContext } from '../context.ts';
import { headerValues } from '../http/raw-headers.ts';
import type { FoundApiKey } from './api-key-reader.ts';

// As long as a hash, for a comparison in constant time.
const noHash = '0'.repeat(64);

/** Throws `unauthenticated`, with the same text for an absent, unknown, revoked and expired key. */
export async function authenticate(
  context: ApiContext,
  rawHeaders: readonly string[],
): Promise<FoundApiKey> {
  const text = readCredential(rawHeaders);
  const parsed = parseApiKey(text);
  // The checksum rejects a mistyped key without a read.
  if (parsed === null) throw unauthenticated();
  const hash = hashApiKey(text, context.config.keyPepper);
  const key = await context.findApiKey(parsed.keyId);
  // An unknown key costs the same work as a wrong one.
  const matches = sameHash(hash, key?.secretHash ?? noHash);
  if (!matches || key === null || !isKeyAlive(key, context.clock.now())) throw unauthenticated();
  context.recordKeyUse(key._id, key.lastUsedAt);
  return key;
}

/** Returns the reason why a valid key may not make a call, or null. */
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
    const detail = 'send exactly one credential: either x-api-key or Authorization';
    throw new AppError('credentials_conflict', detail);
  }
  const [apiKey] = apiKeys;
  if (apiKey !== undefined) return apiKey.trim();
  return /^Bearer +(\S+)$/i.exec(authorizations[0]?.trim() ?? '')?.[1] ?? '';
}

function unauthenticated(): AppError {
  const detail = 'send a valid API key in x-api-key or as a Bearer token';
  return new AppError('unauthenticated', detail);
}
