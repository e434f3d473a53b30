/** Recognises a secret of the settings without containing it. */
export interface SecretCheckDocument {
  /** The setting, for a key of the ring with its id: `HERALD_SECRET_KEYS/k1`. */
  _id: string;
  /** The HMAC-SHA256 (hex) of `_id`, keyed by the secret. */
  check: string;
}
