// How often something was done in a window of time, by all processes together.

export interface RateCountDocument {
  /** The limit, the subject and the window, as `key|key_…|29407680`. */
  _id: string;
  count: number;
  /** After this the window matters to nobody; the database removes it by then. */
  expiresAt: Date;
}
