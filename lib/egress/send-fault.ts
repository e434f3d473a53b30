import { errorCode, isRecord } from '../platform/error-code.ts';

type SendFaultCode =
  | 'ADDRESS_BLOCKED'
  | 'ADDRESSES_REFUSED' // none of a name's addresses is allowed
  | 'ADDRESS_ABSENT'
  | 'NAME_UNRESOLVED'
  | 'PROXY_REFUSED' // the egress proxy did not connect to the receiver
  | 'PROXY_FAILED' // the egress proxy itself could not be used
  | 'CLIENT_CERTIFICATE_UNUSABLE'
  | 'ATTEMPT_DEADLINE'
  | 'RESPONSE_TOO_LONG'
  | 'THROTTLED'
  | 'CONNECTION_STALE'; // an idle connection was closed before it was reused

/** Branch on `code`: `instanceof` fails across realms. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly code: SendFaultCode;

  constructor(code: SendFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

const textCharactersMax = 200;

export function faultText(error: unknown): string | null {
  if (!isRecord(error) || !('message' in error)) return null;
  const { message } = error;
  if (typeof message === 'string' && message !== '') return message.slice(0, textCharactersMax);
  const code = errorCode(error);
  return typeof code === 'string' ? code : null;
}
