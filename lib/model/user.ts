// A user: one identity each, by the integrator's id or by e-mail, never both.

/**
 * A user; or, with `deletedAt`, what is left of one: the uid, so that its tokens stay dead, and
 * nothing of the person.
 */
export interface UserDocument {
  _id: string;
  appUid: string;
  /** Absent for a user known by e-mail. */
  externalId?: string;
  /** The canonical e-mail's keyed hash; absent for a user known by the integrator's id. */
  emailKey?: string;
  /** The e-mail made unique to the application; mail never reaches it. */
  email?: string;
  name: string | null;
  accountUids: string[];
  /** How often the user's tokens were revoked; absent before the first time. */
  tokenEpoch?: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** What identifies a user: exactly the fields of one of the two unique indexes. */
export type UserIdentity = { externalId: string } | { emailKey: string };
