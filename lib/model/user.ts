/** A deleted user keeps only its uid and count, so that its tokens stay revoked. */
export interface UserDocument {
  _id: string;
  appUid: string;
  externalId?: string;
  /** The keyed hash of the canonical email; absent, like `email`, from a user with an external ID. */
  emailKey?: string;
  /** Rewritten to be unique in the application; mail never reaches it. */
  email?: string;
  name: string | null;
  accountUids: string[];
  tokenEpoch: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** The fields of one of the two unique indexes; a user has exactly one of them. */
export type UserIdentity = { externalId: string } | { emailKey: string };
