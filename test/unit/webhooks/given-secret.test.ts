// A secret that a receiver brings: random ones are accepted, and others refused in one sentence.
import { randomBytes } from 'node:crypto';
import { acceptSecret } from '../../../api/webhooks/secret-field.ts';
import { AppError } from '../../../lib/platform/errors.ts';

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;

const counted = (length: number, byteAt: (index: number) => number): string =>
  secretOf(Uint8Array.from({ length }, (_, index) => byteAt(index)));

function refusalOf(given: string, used: readonly string[] = []): string {
  try {
    return acceptSecret(given, () => used) === given ? '' : 'another secret';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.errors?.map(({ code }) => code).join() ?? ''}: ${error.message}`;
  }
}

test('random bytes of each length from 24 to 64 are accepted', () => {
  const lengths = Array.from({ length: 20_000 }, (_, index) => 24 + (index % 41));
  expect(lengths.filter((length) => refusalOf(secretOf(randomBytes(length))) !== '')).toEqual([]);
});

const shape = 'format: secret must be whsec_ followed by 24 to 64 bytes in base64';
const weak = (why: string): string => `weak_secret: secret ${why}; generate random bytes`;
const random = randomBytes(26);
const good = secretOf(random);
const [twelve, pattern] = [random.subarray(0, 12), random.subarray(0, 16)];

test.each([
  ['', shape],
  ['whsec_', shape],
  [secretOf(randomBytes(23)), shape],
  [secretOf(randomBytes(65)), shape],
  [`whsec_${'A'.repeat(250_000)}`, shape],
  [good.replace('whsec_', ''), shape],
  [good.toUpperCase(), shape],
  [` ${good}`, shape],
  [`${good}\n`, shape],
  [good.replace('=', ''), shape],
  [`${good.slice(0, -2)}B=`, shape],
  [`whsec_${'-_'.repeat(16)}`, shape],
  [`whsec_${'é'.repeat(32)}`, shape],
  [counted(32, () => 0), weak('has too few different bytes')],
  [counted(64, (index) => index % 11), weak('has too few different bytes')],
  [counted(32, (index) => 250 + index), weak('has too few different bytes')],
  [secretOf(Buffer.concat([twelve, twelve])), weak('repeats a short pattern')],
  [secretOf(Buffer.concat([pattern, pattern, pattern])), weak('repeats a short pattern')],
  [
    secretOf(Buffer.from('correct horse battery staple')),
    weak('is base64 of a text instead of random bytes'),
  ],
])('%.80j is refused: %s', (given, refusal) => {
  expect(refusalOf(given)).toBe(refusal);
});

test('a rotation needs another secret than those before, and without a given one it is generated', () => {
  const same = 'repeated: secret must differ from the old secrets';
  expect(refusalOf(good, [secretOf(randomBytes(32)), good])).toBe(same);
  expect(refusalOf(good, [secretOf(randomBytes(32))])).toBe('');
  expect(refusalOf(acceptSecret(undefined))).toBe('');
});
