export interface CallOptions {
  /** Ends the call; it throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the whole call, its retries and waits included. */
  readonly timeoutMs?: number;
  /** How often the call is tried again. */
  readonly retries?: number;
  /** Sent as `x-request-id`: 8 to 64 letters, digits, `_` or `-`. A random one by default. */
  readonly requestId?: string;
}

export interface IdempotentCallOptions extends CallOptions {
  /** A random one by default, the same for the retries of this call. */
  readonly idempotencyKey?: string;
}

export interface HeraldClientOptions {
  /** The address of the service, such as `https://agents.example.com`. */
  readonly url: string;
  /** The application, and its key; not needed for `client.service`. */
  readonly appUid?: string;
  readonly apiKey?: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** For each call, unless it says otherwise; 30 s by default. */
  readonly timeoutMs?: number;
  /** For each call, unless it says otherwise; 2 by default. */
  readonly retries?: number;
}
