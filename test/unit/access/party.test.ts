// Whose share of the process a request uses.
import { expect, test } from 'vitest';
import { partyOf } from '../../../api/access/party.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';

const nobody = { kind: 'anonymous', uid: null } as const;
const key = (uid: string) => ({ kind: 'api_key', uid }) as const;
const admin = (_id: string, superuser = false) =>
  ({ actor: { kind: 'admin', uid: _id }, admin: { _id, superuser } as AdminDocument }) as const;
const from = (address: string) => ({ actor: nobody, admin: null, appUid: '', address });
const address = '203.0.113.1';

test('the keys of an application share one part, each with a part of it', () => {
  const common = { admin: null, appUid: 'app_1', address };
  expect(partyOf({ ...common, actor: key('key_1') })).toEqual({ group: 'app_1', member: 'key_1' });
  expect(partyOf({ ...common, actor: key('key_2') })).toEqual({ group: 'app_1', member: 'key_2' });
});

test('all strangers share one part, and all networks of an IPv6 /48 are one stranger', () => {
  const [one, same, other] = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1'].map((each) =>
    partyOf(from(each)),
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
