// A row of the audit log: who did what to which thing, from where.

/**
 * Who acts: the holder of an API key, an admin of the admin area, someone who has not shown who he
 * is (a sign-in that failed), or the service itself.
 */
export interface Actor {
  kind: 'api_key' | 'admin' | 'anonymous' | 'system';
  /** The key's or the admin's uid; null for the other two. */
  uid: string | null;
}

/** The caller of a request, as the audit log names it. */
export interface Caller {
  actor: Actor;
  /** The address that the request came from. */
  address: string | null;
  requestId: string | null;
}

/** What the service does of itself, or on the command line, is done by nobody that it knows. */
export const systemCaller: Caller = {
  actor: { kind: 'system', uid: null },
  address: null,
  requestId: null,
};

/** What a row says was done. `details` holds names and values that are no secrets. */
export interface AuditEntry {
  /** Null for what concerns no application. */
  appUid: string | null;
  /** The noun and the past participle, such as `webhook.created`. */
  action: string;
  target: { kind: string; uid: string };
  details?: Record<string, unknown>;
}

export interface AuditDocument extends Required<AuditEntry>, Caller {
  _id: string;
  createdAt: Date;
}
