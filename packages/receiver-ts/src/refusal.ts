export type RefusalCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'keys_unavailable'
  | 'body_already_read'
  | 'invalid_body'
  | 'event_id_mismatch';

/** Explains how to fix a body that differs from the bytes that arrived. */
export const bodyAlreadyRead =
  'the body was read or changed before the receiver: put the receiver before body parsers';

/**
 * The request is not a valid delivery of this webhook. `code` is the reason; the message is for people. The code
 * `body_already_read` means that the receiver itself is set up wrongly.
 */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
