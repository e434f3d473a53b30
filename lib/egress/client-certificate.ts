import { createSecureContext, type SecureContext } from 'node:tls';
import { errorCode } from '../platform/error-code.ts';
import { SendFault } from './send-fault.ts';

export const tlsVersionMin = 'TLSv1.2';

export interface ClientCertificate {
  /** PEM; the chain, the client's first. */
  readonly certificate: string;
  readonly key: string;
  /** Connections are shared only by requests with the same owner. */
  readonly owner: string;
}

/** Throws the SendFault `CLIENT_CERTIFICATE_UNUSABLE`: it was checked when it was set, so the fault is ours. */
export function secureContextWith(
  { certificate, key }: Pick<ClientCertificate, 'certificate' | 'key'>,
  ca?: string,
): SecureContext {
  try {
    const minVersion = tlsVersionMin;
    return createSecureContext({ cert: certificate, key, minVersion, ...(ca && { ca }) });
  } catch (error) {
    const code = String(errorCode(error));
    throw new SendFault('CLIENT_CERTIFICATE_UNUSABLE', `OpenSSL refuses it: ${code}`);
  }
}
