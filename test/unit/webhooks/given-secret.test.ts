// A secret that a receiver brings: random ones are accepted, and others refused in one sentence.
import { createHash, randomBytes } from 'node:crypto';
import { acceptSecret } from '../../../api/webhooks/secret-field.ts';
import { AppError } from '../../../lib/platform/errors.ts';

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;

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
const fixed = createHash('sha256').update('fixed').digest();
const good = secretOf(fixed.subarray(0, 26));
const pattern = fixed.subarray(0, 16);

test.each([
  ...['', 'whsec_', secretOf(randomBytes(23)), secretOf(randomBytes(65)), ` ${good}`].map(wrong),
  ...[`whsec_${'A'.repeat(250_000)}`, good.slice(6), good.toUpperCase(), `${good}\n`].map(wrong),
  ...[good.replace('=', ''), `${good.slice(0, -2)}B=`, `whsec_${'-_é'.repeat(16)}`].map(wrong),
  [weak('has too few different bytes'), secretOf(new Uint8Array(32))],
  [weak('has too few different bytes'), secretOf(Uint8Array.from({ length: 64 }, (_, n) => n))],
  [weak('repeats a short pattern'), secretOf(Buffer.concat([pattern, pattern]))],
  [
    weak('is base64 of a text instead of random bytes'),
    secretOf(Buffer.from('a battery staple of 28 bytes')),
  ],
])('%s (row %#)', (refusal, given) => {
  expect(refusalOf(given)).toBe(refusal);
});

function wrong(given: string): [refusal: string, given: string] {
  return [shape, given];
}

test('a rotation needs another secret than those before, and without a given one it is generated', () => {
  const same = 'repeated: secret must differ from the old secrets';
  expect(refusalOf(good, [secretOf(randomBytes(32)), good])).toBe(same);
  expect(refusalOf(good, [secretOf(randomBytes(32))])).toBe('');
  expect(refusalOf(acceptSecret(undefined))).toBe('');
});
