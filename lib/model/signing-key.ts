import type { JWK } from 'jose';
import type { SealedSecret } from './sealed-secret.ts';

export interface KeyTerm {
  generation: number;
  signsFrom: Date;
}

/** `generation` is unique, so that only one of several processes adds the next key. */
export interface SigningKeyDocument extends KeyTerm {
  /** The `kid`: the RFC 7638 thumbprint of the public key. */
  _id: string;
  publicKey: JWK;
  privateKey: SealedSecret;
  createdAt: Date;
}
