// How often signing in has failed, and until when it must wait.

export interface SignInThrottleDocument {
  /** The keyed hash of an e-mail and an address, of an address alone, or of a known browser. */
  _id: string;
  failures: number;
  blockedUntil: Date | null;
  updatedAt: Date;
}
