// Typed client of agent-herald, with retries, pages as iterators and error classes.
export { HeraldAdminClient } from './admin-client.ts';
export { HeraldClient } from './client.ts';
export {
  ConnectionFailedError,
  type FieldError,
  HeraldError,
  HeraldProblem,
  TimedOutError,
  UnexpectedResponseError,
} from './errors.ts';
export type * from './generated/admin-calls.ts';
export type * from './generated/calls.ts';
export * from './generated/models.ts';
export * from './generated/problems.ts';
export type {
  CallOptions,
  HeraldAdminClientOptions,
  HeraldClientOptions,
  IdempotentCallOptions,
} from './options.ts';
export { type Page, Pages } from './pages.ts';
export { EventStream, StreamEndedError, type StreamedEvent, type StreamOptions } from './stream.ts';
