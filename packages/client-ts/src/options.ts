export interface CallOptions {
  /** Aborts the call. It then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** The timeout of the whole call in milliseconds, including retries and waits. */
  readonly timeoutMs?: number;
  /** The maximum number of retries. */
  readonly retries?: number;
  /** Sent as `x-request-id`: 8 to 64 letters, digits, `_` or `-`. The default is random. */
  readonly requestId?: string;
}

export interface IdempotentCallOptions extends CallOptions {
  /** Sent as `Idempotency-Key` with each retry of the call. The default is random. */
  readonly idempotencyKey?: string;
}

export interface TransportOptions {
  /** The address of the service, such as `https://agents.example.com`. It can end in a path. */
  readonly url: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The default timeout of a call, in milliseconds: 30,000 unless set. */
  readonly timeoutMs?: number;
  /** The default maximum number of retries of a call: 2 unless set. */
  readonly retries?: number;
}

export interface HeraldClientOptions extends TransportOptions {
  /** The uid of the application. Needed, with `apiKey`, for all calls but those of `client.service`. */
  readonly appUid?: string;
  readonly apiKey?: string;
}

export interface HeraldAdminClientOptions extends TransportOptions {
  /** Returns the `csrfToken` of the session, or null while nobody is signed in. */
  readonly csrfToken: () => string | null;
}
