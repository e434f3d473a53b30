/** `sealed` is `iv | tag | ciphertext` in base64. */
export interface SealedSecret {
  keyId: string;
  sealed: string;
}
