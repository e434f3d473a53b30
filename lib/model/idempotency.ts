import type { SealedSecret } from './sealed-secret.ts';

export interface IdempotencyDocument {
  _id: string;
  bodyHash: string;
  /** Sealed because it may contain a secret that is shown only once. */
  answer: SealedSecret;
  createdAt: Date;
}

/** `id` is the hash of the caller's key, application and path. */
export interface IdempotencyKey {
  id: string;
  bodyHash: string;
}
