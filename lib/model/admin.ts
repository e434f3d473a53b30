// A person of the admin area.

/**
 * Who somebody is at the identity provider. The issuer's `sub` is never given to another person,
 * which an e-mail may be (OpenID Connect Core 1.0 §2 and §5.7).
 */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

export interface AdminDocument {
  _id: string;
  /** In its canonical form, and unique. */
  email: string;
  /** Null for an admin who only signs in through the identity provider. */
  passwordHash: string | null;
  /** The one identity that signs in as this admin; absent until the first time, and once unlinked. */
  identity?: ProviderIdentity;
  /** Is owner of every application, and makes new ones. */
  superuser: boolean;
  /** How often the browsers that it signed in with were forgotten; absent before the first time. */
  deviceEpoch?: number;
  createdAt: Date;
  updatedAt: Date;
  /** Absent until the first time. */
  lastSignedInAt?: Date;
}
