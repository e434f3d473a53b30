// Valid email addresses, by their length in Unicode code points and their characters.
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

test('no other character becomes ASCII, in a name or a domain', () => {
  // Above are only ideographs, tags and private use.
  const characters = Array.from({ length: 0x2_0000 - 0x80 }, (_, n) => n + 0x80)
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point));
  const becomes = (address: string): boolean => /^[ -~]+$/.test(canonicalEmail(address) ?? '\0');
  expect(characters.filter((one) => becomes(`a${one}b@example.com`))).toEqual([]);
  const inDomain = (address: string): boolean =>
    becomes(address) && !(canonicalEmail(address) ?? '').includes('@xn--');
  expect(characters.filter((one) => inDomain(`a@a${one}b.com`))).toEqual([]);
});

test('a capital sharp s in a domain is refused or becomes the small one, never two letters', () => {
  // UTS 46 mapped it to `ss` up to version 15, which Node 20 has, and maps it to `ß` since.
  const expected = [null, 'user@xn--strae-oqa.com'];
  expect(expected).toContain(canonicalEmail('user@stra\u1e9ee.com'));
});
