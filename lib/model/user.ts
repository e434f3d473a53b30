/** With `deletedAt` only the uid is left, so that its tokens stay revoked. */
export interface UserDocument {
  _id: string;
  appUid: string;
  externalId?: string;
  /** The keyed hash of the canonical e-mail. */
  emailKey?: string;
  /** Made unique to the application; mail never reaches it. */
  email?: string;
  name: string | null;
  accountUids: string[];
  tokenEpoch?: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** Exactly the fields of one of the two unique indexes; a user has one of them. */
export type UserIdentity = { externalId: string } | { emailKey: string };
