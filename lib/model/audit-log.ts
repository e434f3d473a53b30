/** `anonymous`: a failed sign-in; `system`: the service itself or its command line. */
export interface Actor {
  kind: 'api_key' | 'admin' | 'anonymous' | 'system';
  uid: string | null;
}

export interface Caller {
  actor: Actor;
  address: string | null;
  requestId: string | null;
}

export const systemCaller: Caller = {
  actor: { kind: 'system', uid: null },
  address: null,
  requestId: null,
};

/** `details` must not contain secrets. */
export interface AuditEntry {
  appUid: string | null;
  action: string;
  target: { kind: string; uid: string };
  details?: Record<string, unknown>;
}

export interface AuditDocument extends Required<AuditEntry>, Caller {
  _id: string;
  createdAt: Date;
}
