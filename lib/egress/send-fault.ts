// The faults of a send that no library reports: the guard's refusals and our own limits.
import { errorCode, isRecord } from '../platform/error-code.ts';

export type SendFaultCode =
  | 'ADDRESS_BLOCKED' // the guard refused an address
  | 'ADDRESS_ABSENT' // the name resolved to nothing
  | 'NAME_UNRESOLVED' // no name server gave an answer
  | 'PROXY_REFUSED' // the egress proxy did not connect to the receiver
  | 'PROXY_FAILED' // the egress proxy itself could not be used
  | 'ATTEMPT_DEADLINE' // the time of the whole attempt is over
  | 'ANSWER_TOO_LONG' // no final answer within the bytes that are read
  | 'THROTTLED' // too many requests to the receiver are under way
  | 'CONNECTION_STALE'; // a kept connection was closed before it was used again

/** A fault of this module's own. Branch on `code`: `instanceof` can lie across realms. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly code: SendFaultCode;

  constructor(code: SendFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

const textCharactersMax = 200;

/** The beginning of the message of a thrown value, or null where it has none. */
export function faultText(error: unknown): string | null {
  if (!isRecord(error) || !('message' in error)) return null;
  const { message } = error;
  if (typeof message === 'string' && message !== '') return message.slice(0, textCharactersMax);
  const code = errorCode(error);
  return typeof code === 'string' ? code : null;
}
