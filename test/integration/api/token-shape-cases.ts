// Tokens that must be rejected for their encoding or signature, each one change away from a good one.
import { sign } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import {
  base64url,
  type GoodToken,
  type RefusalCase,
  resign,
  signTexts,
  unsigned,
} from './token-forge.ts';

const [dot, space] = ['.', ' '];

function retext(
  { header, payload, privateKey }: GoodToken,
  change: (text: string) => string,
): string {
  return signTexts(JSON.stringify(header), change(JSON.stringify(payload)), privateKey);
}

const texts: RefusalCase[] = [
  ['a claim twice', (good) => retext(good, (text) => text.replace('{', '{"sub":"usr_other",'))],
  [
    'a header parameter twice',
    (good) => {
      const header = JSON.stringify(good.header).replace('{', '{"alg":"none",');
      return signTexts(header, JSON.stringify(good.payload), good.privateKey);
    },
  ],
  ['spaces in the payload', (good) => retext(good, (text) => text.replace(':', ': '))],
  [
    'an escape in the payload',
    (good) => retext(good, (text) => text.replace('"sub"', '"s\\u0075b"')),
  ],
  ['a byte order mark', (good) => retext(good, (text) => `\uFEFF${text}`)],
  ...['', 'null', '[]', '"text"', '7', 'true', '{', 'no JSON'].map((payload): RefusalCase => [
    `the payload ${payload || 'empty'}`,
    (good) => signTexts(JSON.stringify(good.header), payload, good.privateKey),
  ]),
  [
    'a tampered payload',
    ({ header, payload, parts, ...good }) => {
      const [, body] = resign(
        { ...good, header, payload, parts },
        { payload: { accounts: ['acc_x'] } },
      ).split('.');
      return `${parts[0]}.${body}.${parts[2]}`;
    },
  ],
  ['a tampered header', (good) => unsigned(good, { kid: 'other' }, good.parts[2])],
];

const shapes: RefusalCase[] = [
  ...[0, 1, 2].map((index): RefusalCase => [
    `part ${index + 1} cut by a character`,
    ({ parts }) => parts.map((part, i) => (i === index ? part.slice(0, -1) : part)).join(dot),
  ]),
  ...[0, 1, 2].map((index): RefusalCase => [
    `part ${index + 1} empty`,
    ({ parts }) => parts.map((part, i) => (i === index ? '' : part)).join(dot),
  ]),
  ['no signature part', ({ parts }) => parts.slice(0, 2).join(dot)],
  ['a header alone', ({ parts }) => parts[0]],
  ['a fourth part', ({ text, parts }) => `${text}.${parts[2]}`],
  ['a dot at the end', ({ text }) => `${text}.`],
  ['a dot at the beginning', ({ text }) => `.${text}`],
  ['no text', () => ''],
  ['dots alone', () => '..'],
  ['spaces', () => space.repeat(3)],
  ['a space before', ({ text }) => space + text],
  ['a line end behind', ({ text }) => `${text}\n`],
  ['the scheme in front', ({ text }) => `Bearer ${text}`],
  ['quotes around', ({ text }) => `"${text}"`],
  ['padding', ({ text }) => `${text}==`],
  ['a character that is not base64url', ({ text }) => `${text.slice(0, -1)}!`],
  [
    'base64 in place of base64url',
    ({ parts }) => parts.map((part) => Buffer.from(part, 'base64url').toString('base64')).join(dot),
  ],
  ['bits behind the last byte', ({ text }) => text.slice(0, -1) + nextCharacter(text.at(-1) ?? '')],
  ['an accent', ({ text }) => text.replace('e', 'é')],
  ['a full-width dot', ({ text }) => text.replaceAll('.', '．')],
  ['an emoji', ({ text }) => `${text}🔑`],
  [
    'more than 8 KiB, signed',
    (good) =>
      resign(good, {
        payload: {
          accounts: Array.from({ length: 250 }, (_, i) => `acc_${String(i).padStart(26, '0')}`),
        },
      }),
  ],
  ['60 KiB of letters', () => 'a'.repeat(60 * 1_024)],
  ['50,000 dots', () => dot.repeat(50_000)],
];

/** The last of 86 characters carries two bits; the next letter has the same two. */
function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}

function withSignature({ parts }: GoodToken, signature: Buffer): string {
  return `${parts[0]}.${parts[1]}.${base64url(signature)}`;
}

const signatures: RefusalCase[] = [
  ['a signature of zeros', (good) => withSignature(good, Buffer.alloc(64))],
  ['a signature of ones', (good) => withSignature(good, Buffer.alloc(64, 0xff))],
  ['a signature of 63 bytes', (good) => withSignature(good, bytes(good).subarray(1))],
  [
    'a signature of 65 bytes',
    (good) => withSignature(good, Buffer.concat([bytes(good), Buffer.alloc(1)])),
  ],
  [
    'r and s the other way round',
    (good) =>
      withSignature(good, Buffer.concat([bytes(good).subarray(32), bytes(good).subarray(0, 32)])),
  ],
  ['a flipped bit', (good) => withSignature(good, flipped(bytes(good)))],
  [
    'a DER signature',
    (good) =>
      withSignature(
        good,
        sign('sha256', Buffer.from(good.parts.slice(0, 2).join(dot)), good.privateKey),
      ),
  ],
  [
    'the signature of another token',
    (good) =>
      withSignature(
        good,
        Buffer.from(resign(good, { payload: { jti: 'tok_x' } }).split(dot)[2] ?? '', 'base64url'),
      ),
  ],
  [
    'an encrypted token',
    async (good) =>
      new CompactEncrypt(Buffer.from(good.text))
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', typ: 'embed+jwt' })
        .encrypt(good.publicKey),
  ],
  [
    'the JSON serialization',
    ({ parts: [header, payload, signature] }) =>
      JSON.stringify({ protected: header, payload, signature }),
  ],
];

function bytes({ parts }: GoodToken): Buffer {
  return Buffer.from(parts[2], 'base64url');
}

function flipped(signature: Buffer): Buffer {
  const copy = Buffer.from(signature);
  copy[10] = (copy[10] ?? 0) ^ 1;
  return copy;
}

export const shapeCases: readonly RefusalCase[] = [...texts, ...shapes, ...signatures];
