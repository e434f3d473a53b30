// What an observer outside of the service saw in one run: the judge decides by this and by the stored documents alone.
import type { Document } from 'mongodb';

/** Times are milliseconds of the observer's clock. */
export interface Span {
  startMs: number;
  endMs: number;
}

/** `unknown`: the call got no response, or a 408, 429 or 5xx, so it may have had its effect, or have it soon after its end. */
export type CallOutcome = 'accepted' | 'refused' | 'unknown';

export interface Call extends Span {
  appUid: string;
  outcome: CallOutcome;
  /** Whether an earlier try may take effect after the end. */
  isRepeated?: boolean;
}

/** A request that changes a resource or reports a change, with its repeats by the same `Idempotency-Key`. */
export interface ChangeCall extends Call {
  /** A text that is in the payload of no other change: `m-` and a number. Empty for deletions. */
  mark: string;
  /** Of the response to a report; null otherwise. */
  eventId: string | null;
  event: string;
  /** Null if the response to a creation did not arrive. */
  resourceUid: string | null;
  externalTenantId: string;
  /** The field `group` of a report, on which filters decide; null in other changes. */
  group: number | null;
}

export interface WebhookSettings {
  active: boolean;
  entities: string[];
  /** The only value of `data.group` that matches; null: there is no filter. */
  group: number | null;
  ordering: 'parallel' | 'resource';
  retryScheduleMs: number[];
  ratePerSecond: number | null;
  signatures: ('v1' | 'v1a')[];
}

/** Sets all settings. From `startMs` on they may apply; from `endMs` on they do, unless the outcome is unknown. */
export interface SettingsCall extends Call {
  settings: WebhookSettings;
  /** Whether it cancels what was open when it resumed the webhook. */
  discards: boolean;
}

/** `promoted`: `X-Webhook-Signature` uses the newest secret from now on. */
export interface SecretCall extends Call {
  secret: string | null;
  kind: 'created' | 'rotated' | 'promoted';
}

export interface WebhookHistory {
  uid: string;
  appUid: string;
  /** The path at the receiver, unique in a run. */
  path: string;
  /** In the order of the calls, the first by its creation. */
  settings: SettingsCall[];
  /** One at a time. */
  secrets: SecretCall[];
  deletions: Call[];
}

/** A request to send again, to skip or to erase. */
export interface JobCall extends Call {
  kind: 'resend' | 'replay' | 'recover' | 'sync' | 'skip' | 'erasure';
  /** Empty: all webhooks of the application. */
  webhookUids: string[];
  /** Of a resend or a skip. */
  eventId: string | null;
  /** Of an erasure. */
  externalTenantId: string | null;
}

/** A request at the receiver. */
export interface ReceivedRequest {
  path: string;
  atMs: number;
  eventId: string;
  attempt: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** The whole body for the first request of an event; for later ones null if it has the same bytes. */
  body: string | null;
  /**
   * What the receiver did; the time was taken just before the response or the cut. `isCut`: the connection was cut,
   * before the status (null) or after it, so that the service may not have read it.
   */
  response: { status: number | null; atMs: number; retryAfterSeconds?: number; isCut?: true };
}

export interface TokenHistory {
  appUid: string;
  userUid: string;
  /** Revocations of the user or the application that began after the response to the sign-in. */
  revocations: Call[];
  checks: (Span & { isActive: boolean | null; reason: string | null })[];
}

/** A read whose rows name an application. */
export interface ReadCall extends Call {
  path: string;
  /** Rows that belong to others. */
  foreign: string[];
}

/** Ends when the world is as before. */
export interface Fault extends Span {
  /** `frozen`: by a SIGSTOP. */
  name: string;
  /** A process or a connection, as in `api-1` or `temporal of api-1`. `callers`: that to the API. */
  target: string;
}

/** Public keys of `v1a` as JWKs, by application. */
type PublicKeys = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** Read with a plain driver once everything is settled. */
export interface Documents {
  readAtMs: number;
  events: Document[];
  deliveries: Document[];
}

export interface History {
  seed: number;
  startMs: number;
  /** The application whose latency is judged. */
  quietAppUid: string;
  changes: ChangeCall[];
  webhooks: WebhookHistory[];
  jobs: JobCall[];
  requests: ReceivedRequest[];
  tokens: TokenHistory[];
  reads: ReadCall[];
  faults: Fault[];
  publicKeys: PublicKeys;
  documents: Documents;
}

export interface Violation {
  rule: string;
  what: string;
  /** The lines of the history that explain it, in the order of time. */
  history: string[];
}

export interface Duplicate {
  eventId: string;
  webhookUid: string;
  cause: string | null;
}

export interface Verdict {
  violations: Violation[];
  /** Distinct pairs of event and webhook that got a request. */
  deliveries: number;
  requests: number;
  /** Repeats of a delivery after a 2xx that nobody asked for, by cause. Those without a cause are violations. */
  duplicates: Record<string, number>;
  /** Of groups of overlapping faults: the time from their end until no delivery waited for its first request because of them. */
  recoveryMs: { p50: number; max: number };
  quietP99Ms: { before: number; outsideFaults: number };
}
