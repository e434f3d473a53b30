// A secret as it is stored.

/** A sealed secret as it is stored: which key sealed it, and `iv | tag | ciphertext` in base64. */
export interface SealedSecret {
  keyId: string;
  sealed: string;
}
