// The signing secrets: two until the overlap of a rotation ends, then one.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../../lib/platform/secret-box.ts';
import { openSecrets, secretLocation } from '../../../lib/webhooks/secrets.ts';

const box = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
const now = new Date('2026-01-01T00:00:00Z');
const webhook = { _id: 'whk_1', appUid: 'app_1' };
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

test.each([
  [0, false],
  [0, true],
  [-1, false],
  [-1, true],
])(
  'with %i ms of the overlap left, promoted: %j, only the new secret signs',
  (leftMs, promoted) => {
    expect(secretsOf(leftMs, promoted)).toEqual({ body: 'new', standard: ['new'] });
  },
);

test('without a rotation the only secret signs', () => {
  const secrets = openSecrets(box, { ...webhook, secret: seal('one'), previousSecret: null }, now);
  expect(secrets).toEqual({ body: 'one', standard: ['one'] });
});
