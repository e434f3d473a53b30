import type { ClientSession } from 'mongodb';
import { limits } from '../limits.ts';
import { type IssuedToken, tokenId, tokensOf } from '../model/token.ts';
import type { UserDocument } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';
import { type Page, type PageRequest, readPage } from '../mongo/paging.ts';
import { timeOfId } from '../platform/ids.ts';

interface TokenOfUser {
  appUid: string;
  userUid: string;
  tokenUid: string;
}

const lifetimeMaxMs = limits.userTokenLifetimeMaxMs;
const tokenUidPattern = /^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Returns the tokens of a user that are neither over nor revoked, in any way; `epoch` is the user's present one. */
export async function readTokens(
  store: Store,
  { user, epoch, now }: { user: UserDocument; epoch: number; now: Date },
  page: PageRequest,
): Promise<Page<IssuedToken>> {
  const { _id: userUid, appUid } = user;
  const ended = { appUid, tokensRevokedAt: { $gt: new Date(now.getTime() - lifetimeMaxMs) } };
  const keys = await store.apiKeys.find(ended, { projection: { _id: 1 } }).toArray();
  const filter = {
    ...tokensOf(userUid),
    appUid,
    epoch,
    revokedAt: { $exists: false },
    expiresAt: { $gt: now },
    apiKeyUid: { $nin: keys.map(({ _id }) => _id) },
  };
  return readPage(store.tokens, filter, { ...page, hint: '_id_' });
}

/**
 * Revokes a token of an existing user, also if the list lacks it. Returns its end, or the latest possible one, and
 * whether it was revoked before; null if it is over.
 */
export async function revokeToken(
  store: Store,
  { appUid, userUid, tokenUid }: TokenOfUser,
  { now, session }: { now: Date; session: ClientSession },
): Promise<{ expiresAt: Date; wasRevoked: boolean } | null> {
  if (!canBeValid(tokenUid, now)) return null;
  const latest = new Date(now.getTime() + lifetimeMaxMs);
  const before = await store.tokens.findOneAndUpdate(
    { _id: tokenId(userUid, tokenUid), appUid },
    { $min: { revokedAt: now }, $setOnInsert: { expiresAt: latest } },
    { session, upsert: true, returnDocument: 'before' },
  );
  const expiresAt = before?.expiresAt ?? latest;
  if (expiresAt <= now) return null;
  return { expiresAt, wasRevoked: before?.revokedAt !== undefined };
}

// The uid may come from anybody, and contains the time of the sign-in.
function canBeValid(tokenUid: string, now: Date): boolean {
  if (!tokenUidPattern.test(tokenUid)) return false;
  return timeOfId(tokenUid).getTime() + lifetimeMaxMs > now.getTime();
}

/** Checks whether a token was revoked by its ID, or with all tokens of its API key. */
export async function isRevokedAlone(
  { tokens, apiKeys }: Store,
  { appUid, userUid, tokenUid, apiKeyUid }: TokenOfUser & { apiKeyUid: string },
): Promise<boolean> {
  const [token, key] = await Promise.all([
    tokens.findOne({ _id: tokenId(userUid, tokenUid), appUid, revokedAt: { $exists: true } }),
    // A revoked key makes no new tokens, so the time does not matter.
    apiKeys.findOne({ _id: apiKeyUid, appUid, tokensRevokedAt: { $ne: null } }),
  ]);
  return token !== null || key !== null;
}
