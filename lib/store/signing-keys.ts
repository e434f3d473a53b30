// The keys that sign user tokens: public half open, private half sealed.
import type { JWK } from 'jose';
import type { SealedSecret } from '../crypto/secret-box.ts';

export interface SigningKeyDocument {
  /** The key id (kid), the RFC 7638 thumbprint of the public key. */
  _id: string;
  publicKey: JWK;
  privateKey: SealedSecret;
  /** True for the one key that signs; a unique index lets only one be so. */
  active: boolean;
  createdAt: Date;
}
