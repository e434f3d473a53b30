import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { errorCode } from '../platform/error-code.ts';
import { SendFault } from './send-fault.ts';

/** No finite-field Diffie-Hellman: a receiver's 10,000-bit group would block the event loop for seconds. */
export const handshakeOptions = {
  minVersion: 'TLSv1.2',
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
} as const;

export interface ClientCertificate {
  /** The chain in PEM, the client's certificate first. */
  readonly certificate: string;
  readonly key: string;
  /** Connections are shared only by requests with the same owner. */
  readonly owner: string;
}

/** Throws the SendFault `CLIENT_CERTIFICATE_UNUSABLE`: it was valid when it was set, so the fault is ours. */
export function secureContextWith(
  { certificate, key }: Pick<ClientCertificate, 'certificate' | 'key'>,
  ca?: string,
): SecureContext {
  try {
    return createSecureContext({ ...handshakeOptions, cert: certificate, key, ...(ca && { ca }) });
  } catch (error) {
    const code = String(errorCode(error));
    throw new SendFault('CLIENT_CERTIFICATE_UNUSABLE', `OpenSSL refuses it: ${code}`);
  }
}
