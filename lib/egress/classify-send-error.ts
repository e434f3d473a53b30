import { errorCode } from '../platform/error-code.ts';

export type SendErrorClass =
  'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'too_large' | 'blocked';

export type SendPhase = 'dns' | 'connect' | 'tls' | 'exchange';

export interface SendErrorVerdict {
  readonly errorClass: SendErrorClass;
  /** Shown to tenants: one of a fixed set, or the fault of the URL; without addresses and secrets. */
  readonly detail: string;
  /** Whether no later attempt can have another result. */
  readonly isFinal: boolean;
}

const closed = verdict(
  'reset',
  'the receiver closed the connection before its response was complete',
);
const headersDetail = 'the headers of the response were larger than 16 KiB';
const clientCertificateDetail = 'the receiver wants a client certificate, and none is sent';
const tlsVersionDetail = 'the receiver speaks neither TLS 1.2 nor 1.3';
const alpnDetail = 'the receiver does not speak HTTP/1.1 over TLS';
const brokenDetail = 'the response of the receiver was not complete or not valid HTTP/1.1';
const notHttp = verdict('reset', 'the response of the receiver was not valid HTTP/1.1');
const tlsBroke = verdict('tls', 'the TLS connection with the receiver broke');

/** For a new connection that was closed without a response, or with an alert about our certificate. */
export const clientCertificateRefused = verdict(
  'tls',
  'the receiver refused the client certificate, or closed the connection right after it',
);

/** Matched by the end of the code; receivers send these alerts only about our certificate (RFC 8446 §6.2). */
const certificateAlerts: readonly (readonly [RegExp, SendErrorVerdict])[] = [
  [
    /_ALERT_CERTIFICATE_EXPIRED$/,
    verdict('tls', 'the receiver refused the client certificate: it has expired'),
  ],
  [
    /_ALERT_CERTIFICATE_REVOKED$/,
    verdict('tls', 'the receiver refused the client certificate: it is revoked'),
  ],
  [
    /_ALERT_UNKNOWN_CA$/,
    verdict('tls', 'the receiver refused the client certificate: it does not know its issuer'),
  ],
  [
    /_ALERT_(?:(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_UNKNOWN|ACCESS_DENIED)$/,
    verdict('tls', 'the receiver refused the client certificate'),
  ],
];

const verdictsByCode: ReadonlyMap<string, SendErrorVerdict> = new Map([
  ['ADDRESS_BLOCKED', verdict('blocked', 'the receiver is not at a public address', true)],
  ['ADDRESSES_REFUSED', verdict('blocked', 'the host name has no public address')],
  ['ADDRESS_ABSENT', verdict('dns', 'the host name has no address')],
  ['NAME_UNRESOLVED', verdict('dns', 'the host name could not be resolved')],
  ['ENOTFOUND', verdict('dns', 'the host name was not found')],
  ['ECONNREFUSED', verdict('connect', 'the receiver refused the connection')],
  ['EHOSTUNREACH', verdict('connect', 'there is no route to the receiver')],
  ['ENETUNREACH', verdict('connect', 'there is no route to the receiver')],
  ['ETIMEDOUT', verdict('connect', 'the connection to the receiver timed out')],
  ['UND_ERR_CONNECT_TIMEOUT', verdict('connect', 'the connection to the receiver timed out')],
  ['ERR_SOCKET_CONNECTION_TIMEOUT', verdict('connect', 'the connection to the receiver timed out')],
  ['PROXY_REFUSED', verdict('connect', 'the egress proxy did not connect to the receiver')],
  ['CERT_HAS_EXPIRED', verdict('tls', 'the certificate of the receiver has expired')],
  ['CERT_NOT_YET_VALID', verdict('tls', 'the certificate of the receiver is not valid yet')],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    verdict('tls', 'the certificate of the receiver is for another host name'),
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', verdict('tls', 'the certificate of the receiver is self-signed')],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    verdict('tls', 'the receiver sent an incomplete certificate chain'),
  ],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', verdict('tls', clientCertificateDetail)],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', verdict('tls', tlsVersionDetail)],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', verdict('tls', alpnDetail)],
  ['UND_ERR_HEADERS_OVERFLOW', verdict('too_large', headersDetail)],
  ['HPE_HEADER_OVERFLOW', verdict('too_large', headersDetail)],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', verdict('reset', brokenDetail)],
  ['RESPONSE_TOO_LONG', verdict('too_large', 'the response was too large')],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', verdict('too_large', 'the response was too large')],
]);

const tlsCodes: readonly RegExp[] = [
  /^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_)/,
  /^(?:EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
];

// Our own faults, retried without limit. Not EADDRNOTAVAIL: this host may never have the receiver's address family.
const ownFaultCodes: readonly RegExp[] = [
  /^(?:ERR_INVALID_|ERR_ASSERTION$|ERR_OUT_OF_RANGE$|UND_ERR_(?:INVALID_|NOT_SUPPORTED$|REQ_))/,
  /^(?:PROXY_FAILED|CLIENT_CERTIFICATE_UNUSABLE|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/,
];

const verdictsByPhase: Readonly<Record<SendPhase, SendErrorVerdict>> = {
  dns: verdict('dns', 'the host name could not be resolved'),
  connect: verdict('connect', 'the connection to the receiver failed'),
  tls: verdict('tls', 'the TLS handshake with the receiver failed'),
  exchange: closed,
};

const timeoutsByPhase: Readonly<Record<SendPhase, SendErrorVerdict>> = {
  dns: verdict('timeout', 'the host name was not resolved in time'),
  connect: verdict('timeout', 'no connection to the receiver was made in time'),
  tls: verdict('timeout', 'the TLS handshake with the receiver did not end in time'),
  exchange: verdict('timeout', 'the receiver did not respond completely in time'),
};

/** Returns null for a fault of our own, which the caller must rethrow. */
export function classifySendError(error: unknown, phase: SendPhase): SendErrorVerdict | null {
  const code = errorCode(error);
  // The code of an aborted signal's error is a number; its name says more.
  if (typeof code !== 'string') return classifyByName(error, phase);
  // Undici asserts on responses too, for example on a status of 100 or more.
  if (code === 'ERR_ASSERTION' && phase === 'exchange') return notHttp;
  if (ownFaultCodes.some((pattern) => pattern.test(code))) return null;
  if (code === 'ATTEMPT_DEADLINE') return timeoutsByPhase[phase];
  const known = verdictsByCode.get(code);
  if (known !== undefined) return known;
  const refusal = certificateAlerts.find(([pattern]) => pattern.test(code));
  if (refusal !== undefined) return refusal[1];
  if (code.startsWith('EAI_')) return verdictsByPhase.dns;
  if (isTlsFault(code)) return phase === 'exchange' ? tlsBroke : verdictsByPhase.tls;
  if (code.startsWith('HPE_')) return notHttp;
  return isReset(code) ? closed : verdictsByPhase[phase];
}

export function isConnectionBroken(code: string): boolean {
  return isReset(code) || isTlsFault(code);
}

function isReset(code: string): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

function isTlsFault(code: string): boolean {
  return tlsCodes.some((pattern) => pattern.test(code));
}

function verdict(errorClass: SendErrorClass, detail: string, isFinal = false): SendErrorVerdict {
  return { errorClass, detail, isFinal };
}

const programmingErrorNames: readonly unknown[] = ['TypeError', 'RangeError', 'SyntaxError'];

function classifyByName(error: unknown, phase: SendPhase): SendErrorVerdict | null {
  if (typeof error !== 'object' || error === null || !('name' in error)) return null;
  // Undici 7 leaves its code (HPE_…) undefined.
  if (error.name === 'HTTPParserError') return withParserReason(error);
  return programmingErrorNames.includes(error.name) ? null : verdictsByPhase[phase];
}

// The parser's reasons are fixed texts that contain nothing the receiver sent.
function withParserReason(error: object): SendErrorVerdict {
  const message = 'message' in error ? String(error.message) : '';
  const reason = /^Response does not match the HTTP\/1\.1 protocol \((.+)\)$/.exec(message)?.[1];
  return reason === undefined ? notHttp : verdict('reset', `${notHttp.detail} (${reason})`);
}
