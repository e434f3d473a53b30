// A key that signs user tokens: public half open, private half sealed.
import type { JWK } from 'jose';
import type { SealedSecret } from './sealed-secret.ts';

/** The place of a key in the order of keys, and the time from which it signs. */
export interface KeyTerm {
  /** 1 for the first key, one more for each that follows. */
  generation: number;
  signsFrom: Date;
}

/** A unique index on `generation` lets only one of several processes add the next key. */
export interface SigningKeyDocument extends KeyTerm {
  /** The key id (kid), the RFC 7638 thumbprint of the public key. */
  _id: string;
  publicKey: JWK;
  privateKey: SealedSecret;
  createdAt: Date;
}
