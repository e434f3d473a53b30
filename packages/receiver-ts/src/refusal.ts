export type RefusalCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_already_read'
  | 'invalid_body'
  | 'event_id_mismatch';

/** What is to be done about a body that is not what arrived. */
export const bodyAlreadyRead =
  'the body was read or changed before the receiver: put the receiver before body parsers';

/**
 * A request that is not a delivery of this webhook. `code` says why; the message is for people. `body_already_read` is
 * a fault of the receiver's own setup.
 */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
