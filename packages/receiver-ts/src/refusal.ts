export type RefusalCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'invalid_body'
  | 'event_id_mismatch';

/** A request that is not a delivery of this webhook. `code` says why; the message is for people. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
