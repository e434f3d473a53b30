// Revocation of user tokens: a token is good as long as nobody revoked since it was issued.
import type { ClientSession } from 'mongodb';
import type { Store } from './connect.ts';
import type { UserDocument } from './users.ts';

// A token carries its epoch: how often its user's tokens and its application's had been revoked
// when it was issued. Counting needs no clock: `iat` is in whole seconds, and the clocks of two
// processes differ by more than the time between a revocation and the next sign-in, while one
// that counts before it signs is dead after a revocation and alive without, to the instant.

/** Gives the epoch of a token issued now: the sum of two counts that only ever grow. */
export async function readTokenEpoch(
  store: Store,
  user: Pick<UserDocument, 'appUid' | 'tokenEpoch'>,
): Promise<number> {
  const app = await store.apps.findOne({ _id: user.appUid }, { projection: { tokenEpoch: 1 } });
  return (app?.tokenEpoch ?? 0) + (user.tokenEpoch ?? 0);
}

/** Ends all tokens that a user has. Gives false when the application has no such user. */
export async function revokeUserTokens(
  store: Store,
  { appUid, userUid }: { appUid: string; userUid: string },
  session: ClientSession,
): Promise<boolean> {
  const filter = { _id: userUid, appUid, deletedAt: null };
  const raised = await store.users.updateOne(filter, { $inc: { tokenEpoch: 1 } }, { session });
  return raised.matchedCount === 1;
}

/** Ends all tokens that the users of an application have. */
export async function revokeAppTokens(
  store: Store,
  appUid: string,
  session: ClientSession,
): Promise<void> {
  await store.apps.updateOne({ _id: appUid }, { $inc: { tokenEpoch: 1 } }, { session });
}
