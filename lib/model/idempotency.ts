// The key of a POST that is done once, and the answer it got.
import type { SealedSecret } from './sealed-secret.ts';

export interface IdempotencyDocument {
  _id: string;
  bodyHash: string;
  /** The first answer, sealed because it may hold a secret that is shown only once. */
  answer: SealedSecret;
  createdAt: Date;
}

/** A caller's key for one POST: hashed with the application and path, beside the body's own hash. */
export interface IdempotencyKey {
  id: string;
  bodyHash: string;
}
