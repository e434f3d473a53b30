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

export interface TransportOptions {
  /** The address of the service, such as `https://agents.example.com`; it may end in a path. */
  readonly url: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** For each call, unless it says otherwise; 30 s by default. */
  readonly timeoutMs?: number;
  /** For each call, unless it says otherwise; 2 by default. */
  readonly retries?: number;
}

export interface HeraldClientOptions extends TransportOptions {
  /** The application, and its key; not needed for `client.service`. */
  readonly appUid?: string;
  readonly apiKey?: string;
}

export interface HeraldAdminClientOptions extends TransportOptions {
  /** Returns the `csrfToken` of the session, null while nobody is signed in. */
  readonly csrfToken: () => string | null;
}
