import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { secureContextWith } from '../egress/client-certificate.ts';
import { limits } from '../limits.ts';
import type { CertificateFacts } from '../model/webhook.ts';
import type { FaultCode } from '../platform/errors.ts';

export interface CertificateText {
  certificate: string;
  key: string;
}

/** A fault of a client certificate or its key; contains none of their text. */
export class CertificateFault extends Error {
  readonly field: keyof CertificateText;
  readonly code: FaultCode;

  constructor(field: keyof CertificateText, code: FaultCode, message: string) {
    super(message);
    this.name = 'CertificateFault';
    this.field = field;
    this.code = code;
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const keyBlock =
  /-----BEGIN (RSA |EC |)PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END \1PRIVATE KEY-----/g;

const rsaBitsMin = 2_048;
// Each handshake signs in the process that sends for all webhooks: 4,096 bits take some milliseconds.
const rsaBitsMax = 4_096;
const curves: ReadonlySet<unknown> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Returns the PEM to store, without surrounding text, and the facts to show. Throws a CertificateFault. */
export function readClientCertificate(
  given: CertificateText,
  now: Date,
): { text: CertificateText; facts: CertificateFacts } {
  const chain = readChain(given.certificate, now);
  const [own] = chain;
  if (own === undefined) {
    throw new CertificateFault('certificate', 'pem', 'must be certificates in PEM');
  }
  const key = readKey(given.key);
  if (!own.checkPrivateKey(key)) {
    const detail = 'is not the private key of the first certificate';
    throw new CertificateFault('key', 'mismatch', detail);
  }
  const text = {
    certificate: chain.map(String).join(''),
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
  };
  try {
    secureContextWith(text);
  } catch {
    throw new CertificateFault('certificate', 'unusable', 'cannot be used: it is too weak');
  }
  const facts = {
    // Certificates of workloads often have only an alternative name.
    subject: inOneLine(own.subject) || inOneLine(own.subjectAltName),
    issuer: inOneLine(own.issuer),
    fingerprint256: own.fingerprint256,
    notAfter: new Date(own.validTo),
  };
  return { text, facts };
}

function readChain(pem: string, now: Date): X509Certificate[] {
  const blocks = pem.match(certificateBlock) ?? [];
  const { clientCertificatesMax } = limits;
  if (blocks.length > clientCertificatesMax) {
    const detail = `must have at most ${clientCertificatesMax} certificates (got ${blocks.length})`;
    throw new CertificateFault('certificate', 'chain', detail);
  }
  const chain = blocks.map((block, index) => parseCertificate(block, index + 1));
  for (const [index, each] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer !== undefined && !each.checkIssued(issuer)) {
      const detail = `certificate ${index + 2} must be the issuer of the one before it`;
      throw new CertificateFault('certificate', 'chain', detail);
    }
    const notAfter = new Date(each.validTo);
    if (!(notAfter > now)) {
      const detail = `certificate ${index + 1} has expired (${each.validTo})`;
      throw new CertificateFault('certificate', 'expired', detail);
    }
  }
  return chain;
}

function parseCertificate(block: string, number: number): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new CertificateFault('certificate', 'pem', `certificate ${number} cannot be read`);
  }
}

function readKey(pem: string): KeyObject {
  if (pem.includes('ENCRYPTED')) {
    throw new CertificateFault('key', 'encrypted', 'must not be encrypted');
  }
  const [block, ...more] = pem.match(keyBlock) ?? [];
  if (block === undefined || more.length > 0) {
    throw new CertificateFault('key', 'pem', 'must be one private key in PEM');
  }
  const key = parseKey(block);
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  const isUsable =
    key.asymmetricKeyType === 'ed25519' ||
    (key.asymmetricKeyType === 'ec' && curves.has(namedCurve)) ||
    (key.asymmetricKeyType === 'rsa' &&
      modulusLength >= rsaBitsMin &&
      modulusLength <= rsaBitsMax &&
      isConsistentRsaKey(key, modulusLength));
  if (isUsable) return key;
  const detail = `must be RSA of ${rsaBitsMin} to ${rsaBitsMax} bits, P-256, P-384, P-521 or Ed25519`;
  throw new CertificateFault('key', 'kind', detail);
}

// OpenSSL checks only the modulus. With a prime of eight times its size, each handshake would take seconds.
function isConsistentRsaKey(key: KeyObject, modulusLength: number): boolean {
  const jwk = key.export({ format: 'jwk' });
  const numberOf = (text = ''): bigint =>
    BigInt(`0x0${Buffer.from(text, 'base64url').toString('hex')}`);
  const [n, p, q] = [numberOf(jwk.n), numberOf(jwk.p), numberOf(jwk.q)];
  const primeMax = 2n ** BigInt(Math.ceil(modulusLength / 2) + 8);
  return (
    p * q === n &&
    p < primeMax &&
    q < primeMax &&
    numberOf(jwk.d) < n &&
    numberOf(jwk.dp) < p &&
    numberOf(jwk.dq) < q &&
    numberOf(jwk.qi) < p &&
    numberOf(jwk.e) < 2n ** 32n
  );
}

function parseKey(block: string): KeyObject {
  try {
    return createPrivateKey(block);
  } catch {
    // OpenSSL's message could repeat part of the key.
    throw new CertificateFault('key', 'pem', 'cannot be read');
  }
}

// Node returns undefined for an empty name, although its types exclude that.
function inOneLine(name: string | undefined): string {
  return (name ?? '').replaceAll(/\s*\n\s*/g, ', ');
}
