// The client certificates and keys that are accepted, and the facts shown about them.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, type JsonWebKey, randomBytes, X509Certificate } from 'node:crypto';
import {
  CertificateFault,
  readClientCertificate,
} from '../../../lib/webhooks/client-certificate-facts.ts';
import { type Authority, type ClientPair, makeAuthority } from '../../support/certificates.ts';

let root: Authority;
let middle: Authority;
let pair: ClientPair;
let belowPair: ClientPair;

beforeAll(() => {
  root = makeAuthority('Root');
  middle = root.issueAuthority('Middle');
  pair = root.issue('client');
  belowPair = middle.issue('below');
});

afterAll(() => {
  middle?.[Symbol.dispose]();
  root?.[Symbol.dispose]();
});

const now = new Date();
const ec = (curve: string) => ['ec', '-pkeyopt', `ec_paramgen_curve:${curve}`];

const der = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
};

/** Returns a key in PKCS #1. Node 24 creates none from inconsistent numbers, but reads it. */
function rsaKeyOf(numbers: JsonWebKey): string {
  const { n, e, d, p, q, dp, dq, qi } = numbers;
  const integers = ['AA', n, e, d, p, q, dp, dq, qi].map((text = '') => {
    const digits = BigInt(`0x0${Buffer.from(text, 'base64url').toString('hex')}`).toString(16);
    const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
    return der(2, Buffer.from(/^[89a-f]/.test(hex) ? `00${hex}` : hex, 'hex'));
  });
  const lines =
    der(0x30, Buffer.concat(integers))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----\n`;
}

/** Returns the field and code of a refusal, or null. */
function faultOf(given: ClientPair, at = now): string | null {
  try {
    readClientCertificate(given, at);
    return null;
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    expect(error.message).not.toMatch(/BEGIN|[A-Za-z0-9+/]{40}/);
    return `${error.field} ${error.code}`;
  }
}

test('a pair is accepted, and its subject, issuer, fingerprint and expiry are shown', () => {
  const { facts } = readClientCertificate(pair, now);
  const parsed = new X509Certificate(pair.certificate);
  expect(facts).toEqual({
    subject: 'O=Herald, CN=client',
    issuer: 'CN=Root',
    fingerprint256: parsed.fingerprint256,
    notAfter: new Date(parsed.validTo),
  });
});

test('the alternative names of a certificate without a subject, as workloads have, are shown', () => {
  const name = 'URI:spiffe://example.org/agent';
  const named = ['-subj', '/', '-addext', `subjectAltName=critical,${name}`];
  const both = ['-newkey', ...ec('prime256v1'), '-nodes', '-keyout', '-', '-out', '-'];
  const made = execFileSync('openssl', ['req', '-x509', ...named, ...both], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const { facts } = readClientCertificate({ certificate: made, key: made }, now);
  expect(facts).toMatchObject({ subject: name, issuer: '' });
});

test('a chain is accepted in the order of issuance, and text around it is not kept', () => {
  const chain = belowPair.certificate + middle.certificate + root.certificate;
  const { text } = readClientCertificate(
    { certificate: `subject=x\n${chain}\nthe end`, key: `Bag Attributes\n${belowPair.key}` },
    now,
  );
  expect(text.certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
  expect(text.certificate + text.key).not.toMatch(/subject|the end|Bag/);
});

test.each([
  [['rsa:2048'], null],
  [['rsa:1024'], 'key kind'],
  [ec('secp384r1'), null],
  [ec('secp521r1'), null],
  [ec('secp256k1'), 'key kind'],
  [['ed25519'], null],
  [['ed448'], 'key kind'],
])('a key of the kind %j is %j', (newkey, fault) => {
  expect(faultOf(root.issue('kinds', { newkey }))).toBe(fault);
});

test('an RSA key with numbers that do not match its modulus, or are longer, is refused', () => {
  const made = root.issue('crafted', { newkey: ['rsa:2048'] });
  const real = createPrivateKey(made.key).export({ format: 'jwk' });
  const withNumbers = (numbers: object): ClientPair => ({
    ...made,
    key: rsaKeyOf({ ...real, ...numbers }),
  });
  const long = Buffer.concat([Buffer.from([0x7f]), randomBytes(1_000)]).toString('base64url');
  const one = Buffer.from([1]).toString('base64url');
  expect(faultOf(withNumbers({}))).toBeNull();
  const crafted = [
    { p: long, dp: long, q: 'Aw', dq: 'Aw', qi: 'Aw' },
    { p: real.n, q: one, dp: real.d, dq: '', qi: one },
    { dp: long },
    { d: long },
  ];
  for (const numbers of crafted) expect(faultOf(withNumbers(numbers))).toBe('key kind');
});

test('an expired certificate is refused', () => {
  const end = new Date(new X509Certificate(pair.certificate).validTo);
  expect(faultOf(pair, new Date(end.getTime() - 1))).toBeNull();
  expect(faultOf(pair, end)).toBe('certificate expired');
});

test('a key that does not match the certificate, is encrypted or invalid is refused', () => {
  expect(faultOf({ ...pair, key: belowPair.key })).toBe('key mismatch');
  expect(faultOf({ ...pair, key: pair.key + belowPair.key })).toBe('key pem');
  expect(faultOf({ ...pair, key: pair.certificate })).toBe('key pem');
  expect(faultOf({ ...pair, key: pair.key.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA') })).toBe(
    'key pem',
  );
  const encrypt = ['pkcs8', '-topk8', '-passout', 'pass:secret'];
  const encrypted = execFileSync('openssl', encrypt, { input: pair.key, encoding: 'utf8' });
  expect(faultOf({ ...pair, key: encrypted })).toBe('key encrypted');
  const old = ['rsa', '-aes128', '-traditional', '-passout', 'pass:secret'];
  const { key } = root.issue('old', { newkey: ['rsa:2048'] });
  const ancient = execFileSync('openssl', old, { input: key, encoding: 'utf8', stdio: 'pipe' });
  expect(ancient).toContain('Proc-Type');
  expect(faultOf({ ...pair, key: ancient })).toBe('key encrypted');
});

test('invalid, too many, or wrongly ordered certificates are refused', () => {
  const { certificate } = belowPair;
  const of = (text: string) => faultOf({ certificate: text, key: belowPair.key });
  expect(of('certificate')).toBe('certificate pem');
  expect(of(belowPair.key)).toBe('certificate pem');
  expect(of(certificate.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'))).toBe('certificate pem');
  expect(of(certificate + root.certificate)).toBe('certificate chain');
  expect(of(certificate + middle.certificate)).toBeNull();
  expect(of(middle.certificate + certificate)).toBe('certificate chain');
  const roots = root.certificate.repeat(3);
  expect(of(certificate + middle.certificate + roots)).toBeNull();
  expect(of(certificate + middle.certificate + roots + root.certificate)).toBe('certificate chain');
});
