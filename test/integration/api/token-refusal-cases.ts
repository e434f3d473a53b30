// Tokens that must be rejected for their algorithm, header or claims, each one change away from a good one.
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK } from 'jose';
import {
  type GoodToken,
  type Json,
  type RefusalCase,
  resign,
  signTexts,
  unsigned,
} from './token-forge.ts';
import { shapeCases } from './token-shape-cases.ts';

const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Returns the good token's claims with another header, signed by another key. */
function signedBy({ header, payload }: GoodToken, key: KeyObject, changes: Json = {}): string {
  return signTexts(JSON.stringify({ ...header, ...changes }), JSON.stringify(payload), key);
}

/** Returns the token signed with HS256 and a public secret. */
function symmetric(good: GoodToken, secret: string | Buffer): string {
  const input = unsigned(good, { alg: 'HS256' }).slice(0, -1);
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const algorithms: RefusalCase[] = [
  ...['none', 'None', 'NONE', 'nOnE', ''].map((alg): RefusalCase => [
    `alg ${alg || 'empty'}, no signature`,
    (good) => unsigned(good, { alg }),
  ]),
  ['alg none over the good signature', (good) => unsigned(good, { alg: 'none' }, good.parts[2])],
  ['no alg', (good) => resign(good, { header: { alg: undefined } })],
  ['alg a list', (good) => resign(good, { header: { alg: ['ES256'] } })],
  ['alg in lower case', (good) => resign(good, { header: { alg: 'es256' } })],
  ['HS256 with the public key as PEM', (good) => symmetric(good, pem(good))],
  ['HS256 with the public key as PEM, trimmed', (good) => symmetric(good, pem(good).trim())],
  ['HS256 with the public key as JWK', (good) => symmetric(good, JSON.stringify(good.publicJwk))],
  ['HS256 with the public key as DER', (good) => symmetric(good, der(good))],
  ['HS256 with the key id', (good) => symmetric(good, String(good.header['kid']))],
  ['HS256 with no secret', (good) => symmetric(good, '')],
  ['RS256 by another key', (good) => signedBy(good, rsa(), { alg: 'RS256' })],
  ['ES384 by a key of P-384', (good) => signedBy(good, curve('P-384'), { alg: 'ES384' })],
  ['ES256 by a key of P-384', (good) => signedBy(good, curve('P-384'))],
  ['ES256 by a key of secp256k1', (good) => signedBy(good, curve('secp256k1'))],
  ['ES256K under our key id', (good) => signedBy(good, curve('secp256k1'), { alg: 'ES256K' })],
  ['Ed25519', (good) => signedBy(good, ed25519(), { alg: 'EdDSA' })],
  ['ES256 by another key', (good) => signedBy(good, attacker.privateKey)],
];

const pem = ({ publicKey }: GoodToken): string =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString();
const der = ({ publicKey }: GoodToken): Buffer => publicKey.export({ format: 'der', type: 'spki' });
const rsa = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const curve = (namedCurve: string): KeyObject =>
  generateKeyPairSync('ec', { namedCurve }).privateKey;
const ed25519 = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

const attackerUrl = 'http://127.0.0.1:9/jwks.json';

const headers: RefusalCase[] = [
  ['an unknown kid', (good) => signedBy(good, attacker.privateKey, { kid: 'unknown' })],
  ['an unknown kid, our signature', (good) => resign(good, { header: { kid: 'unknown' } })],
  ...[undefined, null, '', 7, ['a'], { $ne: '' }, '../../etc/passwd', '__proto__'].map(
    (kid): RefusalCase => [
      `kid ${JSON.stringify(kid)}`,
      (good) => resign(good, { header: { kid } }),
    ],
  ),
  ['kid of our key in a list', (good) => resign(good, { header: { kid: [good.header['kid']] } })],
  ['jku, our signature', (good) => resign(good, { header: { jku: attackerUrl } })],
  ['jku of its own', (good) => signedBy(good, attacker.privateKey, { jku: attackerUrl })],
  ['x5u, our signature', (good) => resign(good, { header: { x5u: attackerUrl } })],
  ['x5u of its own', (good) => signedBy(good, attacker.privateKey, { x5u: attackerUrl })],
  ['x5c', (good) => resign(good, { header: { x5c: ['MIIB'] } })],
  [
    'an embedded jwk of its own',
    async (good) =>
      signedBy(good, attacker.privateKey, { jwk: await exportJWK(attacker.publicKey) }),
  ],
  [
    'an embedded jwk and no kid',
    async (good) => {
      const jwk = await exportJWK(attacker.publicKey);
      return signedBy(good, attacker.privateKey, { kid: undefined, jwk });
    },
  ],
  ['our own key embedded', (good) => resign(good, { header: { jwk: good.publicJwk } })],
  ['crit of an unknown extension', (good) => resign(good, { header: { crit: ['x'], x: 1 } })],
  ['crit of nothing', (good) => resign(good, { header: { crit: [] } })],
  ['b64 false, critical', (good) => resign(good, { header: { b64: false, crit: ['b64'] } })],
  ['b64 false', (good) => resign(good, { header: { b64: false } })],
  ['zip', (good) => resign(good, { header: { zip: 'DEF' } })],
  ['cty of a nested token', (good) => resign(good, { header: { cty: 'JWT' } })],
  ...[undefined, null, '', 'JWT', 'at+jwt', 'EMBED+JWT', 'application/embed+jwt', 1].map(
    (typ): RefusalCase => [
      `typ ${JSON.stringify(typ)}`,
      (good) => resign(good, { header: { typ } }),
    ],
  ),
];

/** Bad values of each claim. All are signed with our own key. */
const badClaims: [string, unknown[]][] = [
  [
    'iss',
    [undefined, '', 'http://other.example', 'http://herald.example/', ['http://herald.example']],
  ],
  ['aud', [undefined, '', 'other', ['other'], ['embedded-sdk'], ['embedded-sdk', 'other']]],
  ['sub', [undefined, null, 7, '', { $ne: null }, ['usr']]],
  ['app', [undefined, null, '', 'app_other', { $ne: null }]],
  ['jti', [undefined, null, 7]],
  ['accounts', [undefined, null, 'acc', [7], [null], {}]],
  ['epoch', [undefined, null, '0', 0.5, [0]]],
  ['exp', [undefined, null, '2147483647', {}, [], -1e300, 1e300]],
  ['iat', [undefined, null, '0', {}, 1e300]],
  ['nbf', [undefined, null, '0', {}, 1e300]],
];

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const yearSeconds = 365 * 24 * 60 * 60;

const claims: RefusalCase[] = [
  ...badClaims
    .flatMap(([claim, values]) => values.map((value): [string, unknown] => [claim, value]))
    .filter(([claim, value]) => !(claim === 'sub' && value === '') && !isPast(claim, value))
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

/** Expired tokens have their own reason and are tested separately. */
function isPast(claim: string, value: unknown): boolean {
  return claim === 'exp' && value === -1e300;
}

export const refusalCases: readonly RefusalCase[] = [
  ...algorithms,
  ...headers,
  ...claims,
  ...shapeCases,
];
