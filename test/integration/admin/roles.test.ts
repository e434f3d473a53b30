// The rights of the roles, the members, and requests that pages of other sites trigger in a browser: those are rejected,
// even with the cookie.
import type { Route } from '../../../api/route.ts';
import { routes } from '../../../api/routes.ts';
import type { Role } from '../../../lib/model/membership.ts';
import { removeAdmin } from '../../../lib/access/create-admin.ts';
import { makeTestAdmin, signIn, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { goodBodyOf, nameOf } from '../api/furnished-app.ts';
import { expectProblem, faultsOf, itemsOf } from '../api/problems.ts';

let superuser: TestAdmin;
let outsider: TestAdmin;
let members: Record<Role, TestAdmin>;
let app: string;

const service = useService({ worker: false });

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
  outsider = await makeTestAdmin(service);
  app = `/apps/${service.app.appUid}`;
  members = {
    owner: await makeTestAdmin(service),
    admin: await makeTestAdmin(service),
    viewer: await makeTestAdmin(service),
  };
  for (const role of ['owner', 'admin', 'viewer'] as const) {
    const body = { email: members[role].email, role };
    const answer = await superuser.call('POST', `${app}/members`, { body });
    expect(answer.status).toBe(201);
  }
});

const key = { name: 'K', scopes: ['events:read'] };

test('a superuser sees all applications, others those they are members of, with their role', async () => {
  const made = await superuser.call('POST', '/apps', { body: { name: 'Second' } });
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe(`/admin/api/apps/${String(made.body['uid'])}`);
  expect(made.body).toMatchObject({ name: 'Second', role: 'owner' });
  const all = itemsOf(await superuser.call('GET', '/apps'));
  expect(all.map((each) => each['uid'])).toEqual(
    expect.arrayContaining([made.body['uid'], service.app.appUid]),
  );
  const seen = await members.viewer.call('GET', '/apps');
  expect(itemsOf(seen)).toMatchObject([{ uid: service.app.appUid, role: 'viewer' }]);
  expect(itemsOf(await outsider.call('GET', '/apps'))).toEqual([]);
  const owners = itemsOf(await superuser.call('GET', `/apps/${String(made.body['uid'])}/members`));
  expect(owners).toMatchObject([{ adminUid: superuser.admin._id, role: 'owner' }]);
});

test("an admin's applications are paged by the time of joining", async () => {
  const joiner = await makeTestAdmin(service);
  const uids: unknown[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    const made = await superuser.call('POST', '/apps', { body: { name } });
    const body = { email: joiner.email, role: 'viewer' };
    await superuser.call('POST', `/apps/${String(made.body['uid'])}/members`, { body });
    uids.unshift(made.body['uid']);
  }
  const first = await joiner.call('GET', '/apps?limit=2');
  const cursor = String(first.body['nextCursor']);
  const second = await joiner.call('GET', `/apps?limit=2&cursor=${cursor}`);
  expect(second.body['nextCursor']).toBeNull();
  expect([...itemsOf(first), ...itemsOf(second)].map((each) => each['uid'])).toEqual(uids);
});

test('a removed role is refused from the next call on', async () => {
  const guest = await makeTestAdmin(service);
  const path = `${app}/members/${guest.admin._id}`;
  const body = { email: guest.email, role: 'admin' };
  expect((await members.owner.call('POST', `${app}/members`, { body })).status).toBe(201);
  expect((await guest.call('POST', `${app}/keys`, { body: key })).status).toBe(201);
  const changed = await members.owner.call('PATCH', path, { body: { role: 'viewer' } });
  expect(changed.body).toMatchObject({ email: guest.email, role: 'viewer' });
  const refused = await guest.call('POST', `${app}/keys`, { body: key });
  expectProblem(refused, 403, 'insufficient_role');
  expect((await members.owner.call('DELETE', path)).status).toBe(204);
  expectProblem(await guest.call('GET', app), 404, 'not_found');
  expectProblem(await members.owner.call('DELETE', path), 404, 'not_found');
});

test('an admin can be a member only once, and only admins can be members', async () => {
  const path = `${app}/members`;
  const twice = { email: members.viewer.email.toUpperCase(), role: 'owner' };
  expectProblem(await members.owner.call('POST', path, { body: twice }), 409, 'conflict');
  const stranger = { email: 'nobody@example.com', role: 'viewer' };
  const answer = await members.owner.call('POST', path, { body: stranger });
  expectProblem(answer, 422, 'unknown_admin');
  expect(faultsOf(answer)).toEqual(['#/email unknown_admin']);
});

test('a member added again with the same Idempotency-Key gets the first response', async () => {
  const { email } = await makeTestAdmin(service);
  const headers = { ...members.owner.headers, 'idempotency-key': 'one-member' };
  const add = (role: string) =>
    members.owner.call('POST', `${app}/members`, { body: { email, role }, headers });
  const first = await add('viewer');
  const again = await add('viewer');
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expectProblem(await add('admin'), 422, 'idempotency_key_reused');
});

test('the last owner cannot be removed, even when two owners remove each other concurrently', async () => {
  const made = await superuser.call('POST', '/apps', { body: { name: 'Owned' } });
  const path = `/apps/${String(made.body['uid'])}/members`;
  const self = `${path}/${superuser.admin._id}`;
  expectProblem(await superuser.call('DELETE', self), 409, 'conflict');
  const demoted = await superuser.call('PATCH', self, { body: { role: 'admin' } });
  expectProblem(demoted, 409, 'conflict');
  const body = { email: members.owner.email, role: 'owner' };
  await superuser.call('POST', path, { body });
  const both = await Promise.all([
    superuser.call('DELETE', self),
    members.owner.call('DELETE', `${path}/${members.owner.admin._id}`),
  ]);
  expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([204, 409]);
});

const becomingOwner: [string, (guest: TestAdmin) => Promise<Answer>, number][] = [
  [
    'is let into an application',
    ({ email }) => superuser.call('POST', `${app}/members`, { body: { email, role: 'owner' } }),
    422,
  ],
  [
    'makes an application',
    (guest) => guest.call('POST', '/apps', { body: { name: 'Left behind' } }),
    401,
  ],
];

test.each(becomingOwner)(
  'an admin who is removed while it %s owns no application',
  async (_what, call) => {
    const guest = await makeTestAdmin(service, { superuser: true });
    const { admins, memberships } = service.store;
    const insertOne = memberships.insertOne.bind(memberships);
    const tries = jest.spyOn(admins, 'findOneAndDelete');
    let removal: Promise<unknown> = Promise.resolve();
    const hook = jest.spyOn(memberships, 'insertOne').mockImplementationOnce(async (...insert) => {
      removal = removeAdmin(service.store, guest);
      // By now the removal has ended, or it conflicts with the open transaction and is being retried.
      await Promise.race([removal, waitFor(() => tries.mock.calls.length > 1)]);
      return insertOne(...insert);
    });
    expect((await call(guest)).status).toBe(201);
    await removal;
    expect(hook).toHaveBeenCalledTimes(1);
    for (const spy of [hook, tries]) spy.mockRestore();
    expect(await memberships.countDocuments({ adminUid: guest.admin._id })).toBe(0);
  },
);

test.each(becomingOwner)(
  'an admin who was removed just before it %s is refused',
  async (...line) => {
    const [, call, status] = line;
    const guest = await makeTestAdmin(service, { superuser: true });
    const { client, memberships } = service.store;
    const withSession = client.withSession.bind(client);
    const hook = jest.spyOn(client, 'withSession').mockImplementationOnce(async (...work) => {
      await removeAdmin(service.store, guest);
      return withSession(...work);
    });
    expect((await call(guest)).status).toBe(status);
    hook.mockRestore();
    expect(await memberships.countDocuments({ adminUid: guest.admin._id })).toBe(0);
  },
);

test.each([
  ['POST', '/apps', { name: 'Mine' }],
  ['GET', '/audit-log', undefined],
  ['GET', '/stats/failing-webhooks', undefined],
] as const)('%s %s is for superusers', async (method, path, body) => {
  const options = body === undefined ? {} : { body };
  expectProblem(await members.owner.call(method, path, options), 403, 'insufficient_role');
  expect((await superuser.call(method, path, options)).status).toBeLessThan(300);
});

async function createApp(headers: Record<string, string>): Promise<number> {
  const body = { name: 'App' };
  const answer = await service.raw('POST', '/admin/api/apps', { headers, body });
  if (answer.status === 403) expectProblem(answer, 403, 'cross_site_request');
  return answer.status;
}

test('a call that changes something needs the CSRF token of its own session', async () => {
  const cookie = superuser.headers['cookie'] ?? '';
  const other = await signIn(service, superuser);
  const token = superuser.headers['x-csrf-token'] ?? '';
  expect(await createApp({ cookie })).toBe(403);
  for (const wrong of ['', 'x', other.headers['x-csrf-token'] ?? '', `${token}A`, `A${token}`]) {
    expect(await createApp({ cookie, 'x-csrf-token': wrong })).toBe(403);
  }
  expect(await createApp({ cookie, 'x-csrf-token': token })).toBe(201);
});

const changes = routes.flatMap((route): [string, Route][] =>
  route.access.kind === 'admin' && route.method !== 'get' ? [[nameOf(route), route]] : [],
);

test.each(changes)('%s is refused without the token, and from another site', async (...line) => {
  const [, route] = line;
  const path = route.path.replaceAll(/:\w+/g, 'none');
  const { cookie = '' } = superuser.headers;
  const body = goodBodyOf(route);
  for (const headers of [{ cookie }, { ...superuser.headers, origin: 'https://evil.example' }]) {
    const options = { headers, ...(body === undefined ? {} : { body }) };
    const answer = await service.raw(route.method.toUpperCase(), path, options);
    expectProblem(answer, 403, 'cross_site_request');
  }
});

test('a call that reads needs no CSRF token', async () => {
  const cookie = superuser.headers['cookie'] ?? '';
  const answer = await service.raw('GET', '/admin/api/apps', { headers: { cookie } });
  expect(answer.status).toBe(200);
});

test.each([
  [{ origin: 'http://herald.example' }, 201],
  [{ origin: 'http://herald.example', 'sec-fetch-site': 'same-origin' }, 201],
  [{ origin: 'https://herald.example' }, 403],
  [{ origin: 'http://herald.example.evil.com' }, 403],
  [{ origin: 'http://herald.example:8080' }, 403],
  [{ origin: 'null' }, 403],
  [{ origin: 'http://evil.example' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ origin: 'http://herald.example', 'sec-fetch-site': 'cross-site' }, 403],
] as const)('a change from a page with the headers %j gets %d', async (page, status) => {
  expect(await createApp({ ...superuser.headers, ...page })).toBe(status);
});

test("the request's own host is accepted as an origin, too", async () => {
  expect(await createApp({ ...superuser.headers, origin: service.apiUrl })).toBe(201);
});

test('a sign-in from another site is refused', async () => {
  const answer = await service.raw('POST', '/admin/api/session', {
    headers: { origin: 'http://evil.example' },
    body: { email: superuser.email, password: superuser.password },
  });
  expectProblem(answer, 403, 'cross_site_request');
  expect(answer.headers.getSetCookie()).toEqual([]);
});
