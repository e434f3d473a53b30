// Tokens that must be rejected for their algorithm, header, claims, encoding or signature, each one change away from a
// good one.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CompactEncrypt, exportJWK } from 'jose';
import {
  base64url,
  type GoodToken,
  type Json,
  type RefusalCase,
  resign,
  signTexts,
  unsigned,
} from './token-forge.ts';

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Returns the good token's claims with another header, signed by another key. */
function signedBy({ header, payload }: GoodToken, key: KeyObject, changes: Json = {}): string {
  return signTexts(JSON.stringify({ ...header, ...changes }), JSON.stringify(payload), key);
}

/** Returns the token signed with HS256 and a public secret. */
function symmetric(good: GoodToken, secret: string): string {
  const input = unsigned(good, { alg: 'HS256' }).slice(0, -1);
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const algorithms: RefusalCase[] = [
  ...['none', 'nOnE', ''].map((alg): RefusalCase => [
    `alg ${alg || 'empty'}, no signature`,
    (good) => unsigned(good, { alg }),
  ]),
  ['alg none over the good signature', (good) => unsigned(good, { alg: 'none' }, good.parts[2])],
  ['no alg', (good) => resign(good, { header: { alg: undefined } })],
  ['alg a list', (good) => resign(good, { header: { alg: ['ES256'] } })],
  ['HS256 with the public key as PEM', (good) => symmetric(good, pem(good))],
  ['HS256 with the public key as JWK', (good) => symmetric(good, JSON.stringify(good.publicJwk))],
  ['HS256 with no secret', (good) => symmetric(good, '')],
  ['RS256 by another key', (good) => signedBy(good, rsa(), { alg: 'RS256' })],
  ['ES384 by a key of P-384', (good) => signedBy(good, curve('P-384'), { alg: 'ES384' })],
  ['ES256 by a key of P-384', (good) => signedBy(good, curve('P-384'))],
  ['ES256 by another key', (good) => signedBy(good, attacker.privateKey)],
];

const pem = ({ publicKey }: GoodToken): string =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString();
const rsa = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const curve = (namedCurve: string): KeyObject =>
  generateKeyPairSync('ec', { namedCurve }).privateKey;

const attackerUrl = 'http://127.0.0.1:9/jwks.json';

const headers: RefusalCase[] = [
  ['an unknown kid', (good) => signedBy(good, attacker.privateKey, { kid: 'unknown' })],
  ['an unknown kid, our signature', (good) => resign(good, { header: { kid: 'unknown' } })],
  ...[undefined, null, '', ['a'], { $ne: '' }, '__proto__'].map((kid): RefusalCase => [
    `kid ${JSON.stringify(kid)}`,
    (good) => resign(good, { header: { kid } }),
  ]),
  ['kid of our key in a list', (good) => resign(good, { header: { kid: [good.header['kid']] } })],
  ['jku of its own', (good) => signedBy(good, attacker.privateKey, { jku: attackerUrl })],
  ['x5u, our signature', (good) => resign(good, { header: { x5u: attackerUrl } })],
  [
    'an embedded jwk of its own',
    async (good) =>
      signedBy(good, attacker.privateKey, { jwk: await exportJWK(attacker.publicKey) }),
  ],
  ['our own key embedded', (good) => resign(good, { header: { jwk: good.publicJwk } })],
  ['crit of an unknown extension', (good) => resign(good, { header: { crit: ['x'], x: 1 } })],
  ['b64 false, critical', (good) => resign(good, { header: { b64: false, crit: ['b64'] } })],
  ['b64 false', (good) => resign(good, { header: { b64: false } })],
  ['zip', (good) => resign(good, { header: { zip: 'DEF' } })],
  ...[undefined, null, 'JWT', 'EMBED+JWT', 'application/embed+jwt'].map((typ): RefusalCase => [
    `typ ${JSON.stringify(typ)}`,
    (good) => resign(good, { header: { typ } }),
  ]),
];

/** Bad values of each claim. All are signed with our own key. */
const badClaims: [string, unknown[]][] = [
  [
    'iss',
    [undefined, '', 'http://other.example', 'http://herald.example/', ['http://herald.example']],
  ],
  ['aud', [undefined, '', 'other', ['other'], ['embedded-sdk'], ['embedded-sdk', 'other']]],
  ['sub', [undefined, null, 7, { $ne: null }, ['usr']]],
  ['app', [undefined, null, '', 'app_other', { $ne: null }]],
  ['jti', [undefined, null, 7]],
  ['accounts', [undefined, null, 'acc', [7], [null], {}]],
  ['key', [undefined, null, 7, {}, ['key']]],
  ['epoch', [undefined, null, '0', 0.5, [0]]],
  ['tenant', [7, {}, ['tenant-1']]],
  ['origins', ['https://app.example.com', [null], [7], {}]],
  ['exp', [undefined, null, '2147483647', {}, [], 1e300]],
  ['iat', [undefined, null, '0', {}, 1e300]],
  ['nbf', [undefined, null, '0', {}, 1e300]],
];

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const yearSeconds = 365 * 24 * 60 * 60;

const claims: RefusalCase[] = [
  ...badClaims
    .flatMap(([claim, values]) => values.map((value): [string, unknown] => [claim, value]))
    .map(([claim, value]): RefusalCase => [
      `${claim} ${JSON.stringify(value)}`,
      (good) => resign(good, { payload: { [claim]: value } }),
    ]),
  ['not yet valid', (good) => resign(good, { payload: { nbf: nowSeconds() + 60 } })],
  ['issued in the future', (good) => resign(good, { payload: { iat: nowSeconds() + 60 } })],
  [
    'good for ten years',
    (good) => resign(good, { payload: { exp: nowSeconds() + 10 * yearSeconds } }),
  ],
  ['good for 61 minutes', (good) => resign(good, { payload: { exp: nowSeconds() + 61 * 60 } })],
  ['an exp with a fraction', (good) => resign(good, { payload: { exp: nowSeconds() + 60.5 } })],
  [
    'over before it begins',
    (good) => {
      const now = nowSeconds();
      return resign(good, { payload: { iat: now, nbf: now, exp: now } });
    },
  ],
];

function retext(
  { header, payload, privateKey }: GoodToken,
  change: (text: string) => string,
): string {
  return signTexts(JSON.stringify(header), change(JSON.stringify(payload)), privateKey);
}

const shapes: RefusalCase[] = [
  ['a claim twice', (good) => retext(good, (text) => text.replace('{', '{"sub":"usr_other",'))],
  [
    'a header parameter twice',
    (good) => {
      const header = JSON.stringify(good.header).replace('{', '{"alg":"none",');
      return signTexts(header, JSON.stringify(good.payload), good.privateKey);
    },
  ],
  ['spaces in the payload', (good) => retext(good, (text) => text.replace(':', ': '))],
  ['a byte order mark', (good) => retext(good, (text) => `\uFEFF${text}`)],
  ...['', 'null', '[]', 'no JSON'].map((payload): RefusalCase => [
    `the payload ${payload || 'empty'}`,
    (good) => retext(good, () => payload),
  ]),
  [
    'a tampered payload',
    (good) => {
      const [, body] = resign(good, { payload: { accounts: ['acc_x'] } }).split('.');
      return `${good.parts[0]}.${body}.${good.parts[2]}`;
    },
  ],
  ['a tampered header', (good) => unsigned(good, { kid: 'other' }, good.parts[2])],
  ...[0, 1, 2].map((index): RefusalCase => [
    `part ${index + 1} empty`,
    ({ parts }) => parts.map((part, i) => (i === index ? '' : part)).join('.'),
  ]),
  ['no signature part', ({ parts }) => parts.slice(0, 2).join('.')],
  ['a fourth part', ({ text, parts }) => `${text}.${parts[2]}`],
  ['no text', () => ''],
  ['the scheme in front', ({ text }) => `Bearer ${text}`],
  [
    'base64 in place of base64url',
    ({ parts }) => parts.map((part) => Buffer.from(part, 'base64url').toString('base64')).join('.'),
  ],
  ['bits behind the last byte', ({ text }) => text.slice(0, -1) + nextCharacter(text.at(-1) ?? '')],
  ['a full-width dot', ({ text }) => text.replaceAll('.', '．')],
  [
    'more than 8 KiB, signed',
    (good) => resign(good, { payload: { accounts: Array<string>(250).fill('a'.repeat(30)) } }),
  ],
  ['50,000 dots', () => '.'.repeat(50_000)],
];

/** The last of 86 characters carries two bits; the next letter has the same two. */
function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}

function withSignature({ parts }: GoodToken, signature: Buffer): string {
  return `${parts[0]}.${parts[1]}.${base64url(signature)}`;
}

const bytes = ({ parts }: GoodToken): Buffer => Buffer.from(parts[2], 'base64url');

const signatures: RefusalCase[] = [
  ['a signature of zeros', (good) => withSignature(good, Buffer.alloc(64))],
  ['a signature of 63 bytes', (good) => withSignature(good, bytes(good).subarray(1))],
  [
    'r and s the other way round',
    (good) =>
      withSignature(good, Buffer.concat([bytes(good).subarray(32), bytes(good).subarray(0, 32)])),
  ],
  [
    'a DER signature',
    (good) =>
      withSignature(
        good,
        sign('sha256', Buffer.from(good.parts.slice(0, 2).join('.')), good.privateKey),
      ),
  ],
  [
    'the signature of another token',
    (good) => withSignature(good, bytes({ ...good, parts: otherParts(good) })),
  ],
  [
    'an encrypted token',
    async (good) =>
      new CompactEncrypt(Buffer.from(good.text))
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', typ: 'embed+jwt' })
        .encrypt(good.publicKey),
  ],
];

function otherParts(good: GoodToken): GoodToken['parts'] {
  return resign(good, { payload: { jti: 'tok_x' } }).split('.') as GoodToken['parts'];
}

export const refusalCases: readonly RefusalCase[] = [
  ...algorithms,
  ...headers,
  ...claims,
  ...shapes,
  ...signatures,
];
