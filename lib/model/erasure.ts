// An erasure: whose payloads are taken away, and how far that is.

/** Whose payloads: those of one tenant, or those in which one of some texts stands as a value. */
export type ErasureSubject = { externalTenantId: string } | { mentions: string[] };

export interface ErasureDocument {
  _id: string;
  appUid: string;
  /** Null once it is done: it may hold what identifies a person. */
  subject: ErasureSubject | null;
  state: 'running' | 'done';
  /** The last event that was looked at. */
  after: string;
  /** When the events are looked at for the second time; null during the first. */
  againAt: Date | null;
  /** How many events have lost their payloads by it. */
  erasedCount: number;
  createdAt: Date;
  finishedAt: Date | null;
}
