/** An issuer never reassigns a `sub` to another person; it may reassign an email (OIDC Core 1.0 §5.7). */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

export interface AdminDocument {
  _id: string;
  email: string;
  /** Null for an admin who signs in only through the identity provider. */
  passwordHash: string | null;
  /** Absent before the first sign-in through the identity provider. */
  identity?: ProviderIdentity;
  superuser: boolean;
  /** Incremented to forget the admin's known browsers. */
  deviceEpoch: number;
  createdAt: Date;
  updatedAt: Date;
  lastSignedInAt: Date | null;
}
