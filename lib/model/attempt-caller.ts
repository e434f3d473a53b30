/** The caller of an attempt: the workflow of the event, of a job's page, or of the partition. */
export type AttemptCaller =
  { kind: 'event' } | { kind: 'job'; jobUid: string } | { kind: 'partition' };
