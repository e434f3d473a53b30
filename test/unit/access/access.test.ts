// Email addresses, API keys, and whose share of the process a request uses.
import { canonicalEmail } from '../../../lib/access/canonical-email.ts';
import { partyOf } from '../../../api/access/party.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import { hashApiKey, newApiKey, parseApiKey, sameHash } from '../../../lib/access/api-key.ts';

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

const nobody = { kind: 'anonymous', uid: null } as const;
const keyActor = (uid: string) => ({ kind: 'api_key', uid }) as const;
const admin = (_id: string, superuser = false) =>
  ({ actor: { kind: 'admin', uid: _id }, admin: { _id, superuser } as AdminDocument }) as const;
const strangerAt = (address: string) => ({ actor: nobody, admin: null, appUid: '', address });
const address = '203.0.113.1';

test('the keys of an application share one part, each with a part of it', () => {
  const common = { admin: null, appUid: 'app_1', address };
  expect(partyOf({ ...common, actor: keyActor('key_1') })).toEqual({
    group: 'app_1',
    member: 'key_1',
  });
  expect(partyOf({ ...common, actor: keyActor('key_2') })).toEqual({
    group: 'app_1',
    member: 'key_2',
  });
});

test('all strangers share one part, and all networks of an IPv6 /48 are one stranger', () => {
  const [one, same, other] = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1'].map((each) =>
    partyOf(strangerAt(each)),
  );
  expect(one).toEqual(same);
  expect(one?.member).not.toBe(other?.member);
  expect([one?.group, other?.group]).toEqual(['strangers', 'strangers']);
});

test('all admins share one part, and the members of an application a part of it; superusers have their own', () => {
  const common = { appUid: 'app_1', address };
  const [ada, ben] = [
    partyOf({ ...common, ...admin('adm_1') }),
    partyOf({ ...common, ...admin('adm_2') }),
  ];
  expect([ada, ben]).toEqual([
    { group: 'admins', member: 'app_1' },
    { group: 'admins', member: 'app_1' },
  ]);
  const elsewhere = partyOf({ ...common, ...admin('adm_1'), appUid: '' });
  expect(elsewhere).toEqual({ group: 'admins', member: 'adm_1' });
  const superuser = partyOf({ ...common, ...admin('adm_3', true) });
  expect(superuser).toEqual({ group: 'adm_3', member: null });
});

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a new key can be parsed to its id', () => {
  for (let i = 0; i < 100; i += 1) {
    const { keyId, text } = newApiKey();
    expect(text).toMatch(/^ahk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(parseApiKey(text)).toEqual({ keyId });
  }
});

test('every typo of a single character is refused', () => {
  const { text } = newApiKey();
  for (let at = 0; at < text.length; at += 1) {
    for (const character of alphabet) {
      if (character === text[at]) continue;
      const typo = text.slice(0, at) + character + text.slice(at + 1);
      expect(parseApiKey(typo)).toBeNull();
    }
  }
});

test('a key with a missing, doubled or swapped character is refused', () => {
  const { text } = newApiKey();
  for (let at = 0; at < text.length; at += 1) {
    const [head, one, tail] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
    expect(parseApiKey(head + tail)).toBeNull();
    expect(parseApiKey(head + one + one + tail)).toBeNull();
    const swapped = head + tail.charAt(0) + one + tail.slice(1);
    if (swapped !== text) expect(parseApiKey(swapped)).toBeNull();
  }
});

test.each(['ahk', 'ahk__', '\n'])('%j is refused as a key, also before or after one', (extra) => {
  const { text } = newApiKey();
  for (const each of [extra, text + extra, extra + text]) expect(parseApiKey(each)).toBeNull();
});

test('the hash is 64 hex digits, depends on key and pepper, and does not contain the key', () => {
  const [one, two] = [newApiKey().text, newApiKey().text];
  const hash = hashApiKey(one, 'pepper');
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashApiKey(one, 'pepper')).toBe(hash);
  expect(hashApiKey(two, 'pepper')).not.toBe(hash);
  expect(hashApiKey(one, 'other')).not.toBe(hash);
});

test('two hashes match only if they are equal and of equal length', () => {
  const hash = hashApiKey('a', 'pepper');
  expect(sameHash(hash, hash)).toBe(true);
  expect(sameHash(hash, hashApiKey('b', 'pepper'))).toBe(false);
  expect(sameHash(hash, hash.slice(2))).toBe(false);
  expect(sameHash(hash, '')).toBe(false);
});
