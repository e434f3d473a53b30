// Options that a receiver refuses when it is created, and similar options that it accepts.
import { otherSecret, publicKey, secret, webhookUid } from './draft.ts';

/** A number that JSON cannot represent. */
interface OddNumber {
  number: 'NaN' | 'Infinity';
}
type Value = string | number | boolean | null | OddNumber;

export interface OptionsCase {
  name: string;
  /**
   * By their names in TypeScript. All other options are valid: next to `publicKeys` or `keySetUrl`, `webhookUid` is set
   * and `secrets` are absent.
   */
  options: Readonly<Record<string, Value | readonly Value[]>>;
  /** The refused option, and the rule in its error. Null if the receiver is created. */
  refused: { option: string; rule: string } | null;
  /** Whether a compiler, if the language has one, rejects it. */
  untyped?: true;
}

const isEmpty = 'must be a text that is not empty: is its environment variable set?';
const isPadded = 'must be printable ASCII, without spaces or quotes around it';
const isForeign = 'must be whsec_ and base64, as the service showed it';
const isNoCount = 'must be a whole number from 1 on';

const otherPublicKey = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';
const keySetUrl = 'https://herald.example/keys.json';

const good: OptionsCase[] = (
  [
    ['the defaults', {}],
    ['two secrets', { secrets: [secret, otherSecret] }],
    ['no tolerance', { toleranceSeconds: 0 }],
    ['a tolerance of half a second', { toleranceSeconds: 0.5 }],
    ['a body of one byte, and one event', { bodyBytesMax: 1, countMax: 1 }],
    ['body-only: a secret of the service', { scheme: 'body-only' }],
    [
      'body-only: a text with spaces and quotes inside',
      { scheme: 'body-only', secrets: ['It\'s a "Secret" to Everybody'] },
    ],
    ['a public key', { publicKeys: [publicKey] }],
    ['two public keys', { publicKeys: [publicKey, otherPublicKey] }],
    ['the URL of a key set', { keySetUrl }],
    ['the URL of a key set in capitals', { keySetUrl: 'HTTPS://HERALD.EXAMPLE/keys.json' }],
    ['the URL of a key set with a port', { keySetUrl: 'http://127.0.0.1:8080/keys.json?a=b' }],
    ['a secret and the uid of the webhook', { secrets: [secret], webhookUid }],
  ] satisfies [string, OptionsCase['options']][]
).map(([name, options]) => ({ name, options, refused: null }));

const half = secret.length / 2;
const withInside = (text: string) => secret.slice(0, half) + text + secret.slice(half);
const wrongSecrets: readonly [string, Value, string][] = [
  ['empty', '', isEmpty],
  ['null', null, isEmpty],
  ['a number', 7, isEmpty],
  ['with a line break after it', `${secret}\n`, isPadded],
  ['with a line break of Windows after it', `${secret}\r\n`, isPadded],
  ['with a line break inside', withInside('\n'), isPadded],
  ['with a space before it', ` ${secret}`, isPadded],
  ['with a space after it', `${secret} `, isPadded],
  ['with a tab after it', `${secret}\t`, isPadded],
  ['with a no-break space after it', `${secret}\u00a0`, isPadded],
  ['with a zero-width space after it', `${secret}\u200b`, isPadded],
  ['with a byte order mark', `\ufeff${secret}`, isPadded],
  ['of only spaces', '   ', isPadded],
  ['in double quotes', `"${secret}"`, isPadded],
  ['in single quotes', `'${secret}'`, isPadded],
  ['in backticks', `\`${secret}\``, isPadded],
  ['in typographic quotes', `\u201c${secret}\u201d`, isPadded],
  ['with a quote after it', `${secret}'`, isPadded],
  ['with a space inside', withInside(' '), isForeign],
  ['with a quote inside', withInside('"'), isForeign],
  ['of only the prefix', 'whsec_', isForeign],
  ['that was cut', secret.slice(0, -1), isForeign],
  ['in base64 for URLs', secret.replace(/.$/, '_'), isForeign],
];

function secretsOf(scheme: string): OptionsCase[] {
  const refused = (name: string, secrets: readonly Value[], [option, rule]: [string, string]) => ({
    name: `${scheme}: ${name}`,
    options: { scheme, secrets },
    refused: { option, rule },
    ...(secrets.every((each) => typeof each === 'string') ? {} : { untyped: true as const }),
  });
  return [
    refused('no secrets', [], ['secrets', 'must not be empty']),
    ...wrongSecrets.map(([what, wrong, rule]) =>
      refused(`a secret: ${what}`, [wrong], ['secrets[0]', rule]),
    ),
    refused('a second secret that is wrong', [secret, `${secret}\n`], ['secrets[1]', isPadded]),
  ];
}

const noSecretOfService: OptionsCase = {
  name: 'standard: a text that is not a secret of the service',
  options: { secrets: ["It's a Secret to Everybody"] },
  refused: { option: 'secrets[0]', rule: isForeign },
};

const isNotAlone = 'must be the only one of secrets, publicKeys and keySetUrl';
const isNoPublicKey = 'must be whpk_ and base64, as the service showed it';
const isNoUrl = 'must be a URL that begins with http:// or https://';
const isStandardOnly = 'must be standard with publicKeys or keySetUrl';
const isNoUid = 'must be the uid of the webhook (whk_…) with publicKeys or keySetUrl';

const sourcesOfKeys: OptionsCase[] = (
  [
    ['secrets and public keys', { secrets: [secret], publicKeys: [publicKey] }, isNotAlone],
    ['secrets and a key set', { secrets: [secret], keySetUrl }, isNotAlone],
    ['public keys and a key set', { publicKeys: [publicKey], keySetUrl }, isNotAlone],
    [
      'an empty list of secrets and public keys',
      { secrets: [], publicKeys: [publicKey] },
      isNotAlone,
    ],
  ] satisfies [string, OptionsCase['options'], string][]
).map(([name, options, rule]) => ({ name, options, refused: { option: 'secrets', rule } }));

const wrongPublicKeys: OptionsCase[] = (
  [
    ['empty', '', isEmpty],
    ['with a line break after it', `${publicKey}\n`, isPadded],
    ['in double quotes', `"${publicKey}"`, isPadded],
    ['of three bytes', 'whpk_AAAA', isNoPublicKey],
    ['of only the prefix', 'whpk_', isNoPublicKey],
    ['without the prefix', publicKey.slice('whpk_'.length), isNoPublicKey],
    ['with unused bits', publicKey.replace('Mbg=', 'Mbh='), isNoPublicKey],
    ['that is a secret', secret, isNoPublicKey],
  ] satisfies [string, string, string][]
).map(([what, wrong, rule]) => ({
  name: `a public key: ${what}`,
  options: { publicKeys: [wrong] },
  refused: { option: 'publicKeys[0]', rule },
}));

const noPublicKeys: OptionsCase = {
  name: 'no public keys',
  options: { publicKeys: [] },
  refused: { option: 'publicKeys', rule: 'must not be empty' },
};

const wrongUids: OptionsCase[] = [
  null,
  '',
  'whk_',
  'app_01sample000000000000000000',
  ` ${webhookUid}`,
  `${webhookUid}\n`,
  `${webhookUid}.`,
  webhookUid.toUpperCase(),
].flatMap((wrong) =>
  [{ publicKeys: [publicKey] }, { keySetUrl }].map((source) => ({
    name: `webhookUid with ${Object.keys(source)[0]}: ${JSON.stringify(wrong)}`,
    options: { webhookUid: wrong, ...source },
    refused: { option: 'webhookUid', rule: isNoUid },
  })),
);

/** Returns cases of one option. `typed` are the values that a compiler accepts. */
function wrongValues(
  option: string,
  rule: string,
  { typed, untyped }: { typed: readonly Value[]; untyped: readonly Value[] },
): OptionsCase[] {
  const caseOf = (value: Value) => ({
    name: `${option}: ${JSON.stringify(value)}`,
    options: { [option]: value },
    refused: { option, rule },
  });
  return [
    ...typed.map(caseOf),
    ...untyped.map((value) => ({ ...caseOf(value), untyped: true as const })),
  ];
}

const odd: readonly Value[] = [{ number: 'NaN' }, { number: 'Infinity' }, '300', true];

export const optionsCases: readonly OptionsCase[] = [
  ...good,
  ...secretsOf('standard'),
  noSecretOfService,
  ...secretsOf('body-only'),
  ...sourcesOfKeys,
  noPublicKeys,
  ...wrongPublicKeys,
  ...wrongUids,
  {
    name: 'webhookUid with publicKeys: 7',
    options: { webhookUid: 7, publicKeys: [publicKey] },
    refused: { option: 'webhookUid', rule: isNoUid },
    untyped: true,
  },
  ...wrongValues('keySetUrl', isNoUrl, {
    typed: [
      '',
      'keys.json',
      '//a/keys.json',
      'ftp://a/b',
      'http://',
      'http://:80/keys',
      'http://[',
      ` ${keySetUrl}`,
      `${keySetUrl}\n`,
      'https://herald.example/my keys.json',
    ],
    // In Python, null means absent.
    untyped: [7],
  }),
  ...[{ publicKeys: [publicKey] }, { keySetUrl }].map((source) => ({
    name: `body-only with ${Object.keys(source)[0]}`,
    options: { scheme: 'body-only', ...source },
    refused: { option: 'scheme', rule: isStandardOnly },
  })),
  ...wrongValues('scheme', 'must be standard or body-only', {
    typed: ['hmac', 'Standard', 'body_only', ' standard'],
    untyped: ['', null, 7],
  }),
  ...wrongValues('toleranceSeconds', 'must be a number from 0 on', {
    typed: [-1, -0.5],
    untyped: [...odd, null],
  }),
  ...wrongValues('bodyBytesMax', isNoCount, { typed: [0, -1], untyped: [...odd, 1.5] }),
  // In Go, 0 means the default.
  ...wrongValues('countMax', isNoCount, { typed: [-1], untyped: [...odd, 0, 1.5] }),
];

/** Returns the text of `packages/receiver-cases/options.json`. */
export function optionsFile(): string {
  return `${JSON.stringify({ cases: optionsCases }, null, 2)}\n`;
}
