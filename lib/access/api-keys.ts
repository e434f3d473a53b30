import type { ClientSession } from 'mongodb';
import { limits } from '../limits.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { ApiKeyDocument, ApiKeyInput } from '../model/api-key.ts';
import type { Caller } from '../model/audit-log.ts';
import type { Store } from '../mongo/connect.ts';
import { hashApiKey, newApiKey } from './api-key.ts';
import { lockApp } from './apps.ts';
import { recordAudit } from './audit-log.ts';

/** Creates a key; the caller stores it without `text`. */
export function makeApiKey(
  input: ApiKeyInput,
  { keyPepper, now }: { keyPepper: string; now: Date },
): { key: ApiKeyDocument; text: string } {
  const { keyId, text } = newApiKey();
  const key: ApiKeyDocument = {
    _id: newId('key', now),
    appUid: input.appUid,
    keyId,
    secretHash: hashApiKey(text, keyPepper),
    name: input.name,
    scopes: input.scopes,
    createdAt: now,
    expiresAt: input.expiresAt,
    revokedAt: null,
    tokensRevokedAt: null,
    lastUsedAt: null,
    rolledTo: null,
    expiryReportedAt: null,
  };
  return { key, text };
}

/** Stores a key with its audit row; returns it with its text, which is stored nowhere. */
export async function addApiKey(
  store: Store,
  input: ApiKeyInput,
  context: { keyPepper: string; caller: Caller; now: Date; session: ClientSession },
): Promise<{ key: ApiKeyDocument; text: string }> {
  const { caller, now, session } = context;
  const { appUid, name, scopes, expiresAt } = input;
  const made = makeApiKey(input, context);
  await store.apiKeys.insertOne(made.key, { session });
  const target = { kind: 'api_key', uid: made.key._id };
  const entry = {
    appUid,
    action: 'api_key.created',
    target,
    details: { name, scopes, expiresAt },
  };
  await recordAudit(store, entry, { caller, now, session });
  return made;
}

/** Enforces the limits of keys, multiplied by `times`, also for concurrent calls. Throws `limit_reached`. */
export async function checkKeyLimits(
  store: Store,
  { appUid, now, times }: { appUid: string; now: Date; times: number },
  session: ClientSession,
): Promise<void> {
  await lockApp(store, appUid, session);
  const activeMax = times * limits.apiKeysPerAppMax;
  const keptMax = times * limits.apiKeysKeptPerAppMax;
  const active = await store.apiKeys.countDocuments(
    { appUid, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
    { session },
  );
  if (active >= activeMax) {
    throw new AppError(
      'limit_reached',
      `an application can have at most ${activeMax} active API keys; revoke one first`,
    );
  }
  if ((await store.apiKeys.countDocuments({ appUid }, { session })) < keptMax) return;
  const detail = `an application can have at most ${keptMax} API keys, including revoked and expired ones; delete some of those`;
  throw new AppError('limit_reached', detail);
}

/** Until then the key is needed to refuse its revoked tokens; long ago if they were not revoked. */
export function tokensRefusedUntil({ tokensRevokedAt }: ApiKeyDocument): Date {
  return new Date((tokensRevokedAt?.getTime() ?? 0) + limits.userTokenLifetimeMaxMs);
}

export function isKeyAlive(key: ApiKeyDocument, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
