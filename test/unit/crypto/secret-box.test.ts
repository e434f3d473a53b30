// The secret box: a sealed text opens only unchanged, at its location, with its own key. And the signing secrets in it.
import { createCipheriv, randomBytes } from 'node:crypto';
import { createSecretBox, parseKeyRing } from '../../../lib/platform/secret-box.ts';
import { openSecrets, secretLocation } from '../../../lib/webhooks/secrets.ts';

const keyText = (): string => randomBytes(32).toString('base64');
const ringText = `k1:${keyText()}`;
const box = createSecretBox(parseKeyRing(ringText));
const location = 'webhooks/app_1/whk_1/secret';

test.each([[''], ['whsec_abc'], ['grüße 😀'], ['x'.repeat(100_000)]])(
  'a sealed text can be opened (%#)',
  (plain) => {
    const sealed = box.seal(plain, location);
    expect(sealed.keyId).toBe('k1');
    expect(box.seal(plain, location).sealed).not.toBe(sealed.sealed);
    expect(box.open(sealed, location)).toBe(plain);
  },
);

test('a change of any bit is refused', () => {
  const { keyId, sealed } = box.seal('secret', location);
  const bytes = Buffer.from(sealed, 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    for (const bit of [1, 128]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ bit, at);
      expect(() => box.open({ keyId, sealed: changed.toString('base64') }, location)).toThrow();
    }
  }
});

test('a text truncated at any byte is refused', () => {
  const { keyId, sealed } = box.seal('secret', location);
  const bytes = Buffer.from(sealed, 'base64');
  for (let length = 0; length < bytes.length; length += 1) {
    const cut = bytes.subarray(0, length).toString('base64');
    expect(() => box.open({ keyId, sealed: cut }, location)).toThrow();
  }
});

test.each(['', 'webhooks/app_1/whk_2/secret', 'webhooks/app_2/whk_1/secret', `${location} `])(
  'a text moved to the location %j is refused',
  (other) => {
    expect(() => box.open(box.seal('secret', location), other)).toThrow();
  },
);

test('a tag of 4 bytes, which can be forged, is refused', () => {
  const [entry] = parseKeyRing(ringText);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', entry?.key ?? '', iv, { authTagLength: 4 });
  cipher.setAAD(Buffer.from(location));
  const text = Buffer.concat([cipher.update('a text of some length', 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
  expect(() => box.open({ keyId: 'k1', sealed }, location)).toThrow();
});

test('an old key of the ring still opens texts, and the first one seals', () => {
  const old = box.seal('old', location);
  const rotated = createSecretBox(parseKeyRing(`k2:${keyText()},${ringText}`));
  expect(rotated.open(old, location)).toBe('old');
  const fresh = rotated.seal('new', location);
  expect(fresh.keyId).toBe('k2');
  expect(() => box.open(fresh, location)).toThrow('k2');
});

test('another key with the same id does not open a text', () => {
  const other = createSecretBox(parseKeyRing(`k1:${keyText()}`));
  expect(() => other.open(box.seal('secret', location), location)).toThrow();
});

test('a ring is parsed with its keys in order, and spaces around the entries are allowed', () => {
  expect(() => createSecretBox([])).toThrow();
  const ring = parseKeyRing(` a:${keyText()} , b-2_C:${keyText()} `);
  expect(ring.map((entry) => entry.id)).toEqual(['a', 'b-2_C']);
  expect(ring.map((entry) => entry.key.length)).toEqual([32, 32]);
});

const secret = keyText();

test.each([
  ['nothing', ''],
  ['no id', `:${secret}`],
  ['an id with a space', `a b:${secret}`],
  ['an id of 33 characters', `${'a'.repeat(33)}:${secret}`],
  ['31 bytes', `a:${randomBytes(31).toString('base64')}`],
  ['33 bytes', `a:${randomBytes(33).toString('base64')}`],
  ['a third part', `a:${secret}:x`],
  ['an id twice', `a:${secret},a:${keyText()}`],
  ['characters that are not base64', `a:${secret.slice(0, -1)}*!?${secret.slice(-1)}`],
])('a ring with %s is refused without showing a key', (_what, text) => {
  expect(() => parseKeyRing(text)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining(secret.slice(0, 20)) }),
  );
});

const now = new Date('2026-01-01T00:00:00Z');
const webhook = { _id: 'whk_1', appUid: 'app_1', signatures: ['v1' as const] };
const seal = (secret: string) => box.seal(secret, secretLocation(webhook));

/** Returns the secrets that sign at `now` when the overlap ends `leftMs` later. */
function secretsOf(leftMs: number, promoted: boolean) {
  const until = new Date(now.getTime() + leftMs);
  const previousSecret = { secret: seal('old'), until, promoted };
  return openSecrets(box, { ...webhook, secret: seal('new'), previousSecret }, now);
}

test('during the overlap the old secret signs the body, and after a promotion the new one', () => {
  const standard = ['new', 'old'];
  expect(secretsOf(1, false)).toEqual({ body: 'old', standard });
  expect(secretsOf(1, true)).toEqual({ body: 'new', standard });
});

test('at the end of the overlap, and without a rotation, only the new secret signs', () => {
  const only = { body: 'new', standard: ['new'] };
  expect([secretsOf(0, false), secretsOf(0, true)]).toEqual([only, only]);
  const unrotated = { ...webhook, secret: seal('new'), previousSecret: null };
  expect(openSecrets(box, unrotated, now)).toEqual(only);
});
