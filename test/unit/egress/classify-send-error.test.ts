// Errors of the resolver, socket, TLS and parser become classes, and their text is not shown.
import { expect, test } from 'vitest';
import { classifySendError, type SendPhase } from '../../../lib/egress/classify-send-error.ts';

function fault(code: string): Error {
  return Object.assign(new Error('connect to 10.1.2.3 with secret'), { code });
}

const cases: readonly (readonly [string, SendPhase, string])[] = [
  ['ENOTFOUND', 'dns', 'dns'],
  ['EAI_AGAIN', 'dns', 'dns'],
  ['ESERVFAIL', 'dns', 'dns'],
  ['ADDRESS_ABSENT', 'dns', 'dns'],
  ['NAME_UNRESOLVED', 'dns', 'dns'],
  ['ADDRESS_BLOCKED', 'dns', 'blocked'],
  ['ADDRESS_BLOCKED', 'connect', 'blocked'],
  ['ECONNREFUSED', 'connect', 'connect'],
  ['EHOSTUNREACH', 'connect', 'connect'],
  ['ENETUNREACH', 'connect', 'connect'],
  ['ETIMEDOUT', 'connect', 'connect'],
  ['EADDRNOTAVAIL', 'connect', 'connect'],
  ['PROXY_REFUSED', 'connect', 'connect'],
  ['CERT_HAS_EXPIRED', 'tls', 'tls'],
  ['CERT_SIGNATURE_FAILURE', 'tls', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'tls'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'tls'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'exchange', 'tls'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'exchange', 'tls'],
  ['EPROTO', 'tls', 'tls'],
  ['EPROTO', 'exchange', 'tls'],
  ['ECONNRESET', 'exchange', 'reset'],
  ['EPIPE', 'exchange', 'reset'],
  ['UND_ERR_SOCKET', 'exchange', 'reset'],
  ['HPE_INVALID_CONSTANT', 'exchange', 'reset'],
  ['ERR_ASSERTION', 'exchange', 'reset'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'exchange', 'reset'],
  ['UND_ERR_HEADERS_OVERFLOW', 'exchange', 'too_large'],
  ['HPE_HEADER_OVERFLOW', 'exchange', 'too_large'],
  ['RESPONSE_TOO_LONG', 'exchange', 'too_large'],
  ['ATTEMPT_DEADLINE', 'dns', 'timeout'],
  ['ATTEMPT_DEADLINE', 'exchange', 'timeout'],
];

test.each(cases)('%s while in phase %s is %s', (code, phase, errorClass) => {
  const verdict = classifySendError(fault(code), phase);
  expect(verdict?.errorClass).toBe(errorClass);
  expect(verdict?.detail).not.toMatch(/10\.1\.2\.3|secret/);
});

test('an error without a code gets the class of its phase', () => {
  expect(classifySendError(new Error('odd'), 'tls')?.errorClass).toBe('tls');
  expect(classifySendError(new Error('odd'), 'dns')?.errorClass).toBe('dns');
});

test("a fault of our own code does not count as the receiver's", () => {
  expect(classifySendError(fault('UND_ERR_INVALID_ARG'), 'exchange')).toBeNull();
  expect(classifySendError(fault('ERR_INVALID_ARG_TYPE'), 'connect')).toBeNull();
  expect(classifySendError(fault('PROXY_FAILED'), 'connect')).toBeNull();
  expect(classifySendError(fault('CLIENT_CERTIFICATE_UNUSABLE'), 'tls')).toBeNull();
  expect(classifySendError(fault('ERR_ASSERTION'), 'connect')).toBeNull();
  expect(classifySendError(new TypeError('x is not a function'), 'exchange')).toBeNull();
  expect(classifySendError(undefined, 'exchange')).toBeNull();
});

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  "%s, an exhausted resource of this host, does not count as the receiver's fault",
  (code) => {
    expect(classifySendError(fault(code), 'connect')).toBeNull();
    expect(classifySendError(fault(`${code}X`), 'connect')?.errorClass).toBe('connect');
  },
);

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', ': it does not know its issuer'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', ': it has expired'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED', ': it is revoked'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', ''],
  ['ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE', ''],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', ''],
  ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', ''],
])('the alert %s says that the receiver refused the client certificate', (code, why) => {
  const refused = `the receiver refused the client certificate${why}`;
  expect(classifySendError(fault(code), 'exchange')?.detail).toBe(refused);
  expect(classifySendError(fault(`${code}X`), 'exchange')?.detail).not.toContain('certificate');
});
