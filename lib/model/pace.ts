/** How far the requests to a webhook with a `ratePerSecond` are given out (ADR 26). Without a document: from now. */
export interface PaceDocument {
  _id: string;
  /** The rate with which the line was made: another one begins a new line. */
  ratePerSecond: number;
  /** The next request may be sent then. */
  sendsFromMs: number;
  /** The next delivery that joins the line waits until then. */
  lineEndsMs: number;
  expiresAt: Date;
}

export type Pace = Pick<PaceDocument, 'ratePerSecond' | 'sendsFromMs' | 'lineEndsMs'>;
