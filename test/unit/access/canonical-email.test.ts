// Which texts are e-mail addresses by their length, in Unicode code points.
import { expect, test } from 'vitest';
import { canonicalEmail } from '../../../lib/access/canonical-email.ts';

const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.co`;

test.each([
  ['𐐨'.repeat(64), 'example.com', true],
  ['𐐨'.repeat(65), 'example.com', false],
  ['𐐨'.repeat(64), domain, true],
  ['𐐨'.repeat(64), `ggg.${domain}`, true],
  ['𐐨'.repeat(64), `gggg.${domain}`, false],
])('%s@%s is an address: %j', (local, host, expected) => {
  expect(canonicalEmail(`${local}@${host}`)).toBe(expected ? `${local}@${host}` : null);
});
