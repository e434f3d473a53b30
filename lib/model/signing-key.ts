import type { JWK } from 'jose';
import type { SealedSecret } from './sealed-secret.ts';

export interface KeyTerm {
  generation: number;
  signsFrom: Date;
}

/** `generation` is unique among the keys of an owner, so that only one of several processes adds the next key. */
export interface SigningKeyDocument extends KeyTerm {
  /** The `kid`: the RFC 7638 thumbprint of the public key. */
  _id: string;
  /** The application whose webhooks it signs; absent if it signs user tokens. */
  appUid?: string;
  publicKey: JWK;
  privateKey: SealedSecret;
  createdAt: Date;
}
