/** A row in the list of a user's tokens, kept until the token is over. */
export interface IssuedToken {
  /** See `tokenId`. */
  _id: string;
  appUid: string;
  apiKeyUid: string;
  externalTenantId: string | null;
  /** As in the claim: the revocations of the user and the application. */
  epoch: number;
  issuedAt: Date;
  expiresAt: Date;
}

/** A token that was revoked without a row has only the fields of the revocation. `revokedAt` is absent before it. */
export type TokenDocument = Pick<IssuedToken, '_id' | 'appUid' | 'expiresAt'> &
  Partial<IssuedToken> & { revokedAt?: Date };

/** Sorts by the user, then by the time of the sign-in, so that the list needs no other index. */
export function tokenId(userUid: string, tokenUid: string): string {
  return `${userUid}/${tokenUid}`;
}

export function tokenUidOf({ _id }: Pick<TokenDocument, '_id'>): string {
  return _id.slice(_id.indexOf('/') + 1);
}

/** Returns a filter by the ID for all tokens of a user. */
export function tokensOf(userUid: string): { $and: [{ _id: RegExp }] } {
  return { $and: [{ _id: new RegExp(`^${userUid}/`) }] };
}
