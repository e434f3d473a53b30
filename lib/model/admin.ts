/** The `sub` of an issuer is never given to another person; an e-mail may be (OIDC Core 1.0 §5.7). */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

export interface AdminDocument {
  _id: string;
  email: string;
  /** Null for an admin who signs in through the identity provider only. */
  passwordHash: string | null;
  identity?: ProviderIdentity;
  superuser: boolean;
  /** How often the admin's known browsers were forgotten. */
  deviceEpoch?: number;
  createdAt: Date;
  updatedAt: Date;
  lastSignedInAt?: Date;
}
