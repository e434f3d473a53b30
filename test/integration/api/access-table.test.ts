// Calls every route of the table with every credential that is not allowed; new routes are included.
import { routes } from '../../../api/routes.ts';
import type { Route } from '../../../api/route.ts';
import type { AdminNeed } from '../../../api/access/admit-admin.ts';
import { newApiKey } from '../../../lib/access/api-key.ts';
import { type Scope, scopes } from '../../../lib/model/api-key.ts';
import { type Role, roles } from '../../../lib/model/membership.ts';
import type { NewApp } from '../../../lib/access/create-app-with-key.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import {
  fillPath,
  furnishAdminArea,
  furnishApp,
  goodBodyOf,
  nameOf,
  type PathUids,
  readEverythingOf,
} from './furnished-app.ts';
import { expectProblem, makeKey } from './problems.ts';

/** An application whose data must not be reachable through the first one or with its key. */
let other: NewApp;
/** A disabled application. */
let disabled: NewApp;
let own: PathUids;
let foreign: PathUids;
let badKeys: Record<string, Record<string, string>>;
let keysWithout: Record<Scope, string>;
let keysOf: Record<Scope, string>;
let otherBefore: Record<string, unknown[]>;

const service = useService({ worker: false });

beforeAll(async () => {
  other = await addApp(service);
  disabled = await addApp(service, 'Disabled');
  const since = { $set: { disabledAt: new Date() } };
  await service.store.apps.updateOne({ _id: disabled.appUid }, since);
  own = await furnishApp(service.apiUrl, service.app);
  foreign = await furnishApp(service.apiUrl, other);
  const past = new Date(Date.now() - 1_000);
  const send = (key: string): Record<string, string> => ({ 'x-api-key': key });
  badKeys = {
    none: {},
    unknown: send(newApiKey().text),
    'of a wrong secret': send(await makeKey(service, { secretHash: 'ab'.repeat(32) })),
    revoked: send(await makeKey(service, { revokedAt: past })),
    expired: send(await makeKey(service, { expiresAt: past })),
  };
  keysWithout = await keysFor((scope) => scopes.filter((each) => each !== scope));
  keysOf = await keysFor((scope) => [scope]);
  otherBefore = await readEverythingOf(service.store, other.appUid);
});

async function keysFor(scopesOf: (scope: Scope) => Scope[]): Promise<Record<Scope, string>> {
  const keys = await Promise.all(
    scopes.map(async (scope) => [scope, await makeKey(service, { scopes: scopesOf(scope) })]),
  );
  return Object.fromEntries(keys) as Record<Scope, string>;
}

function call(
  route: Route,
  { uids, headers }: { uids: PathUids; headers: Record<string, string> },
): Promise<Answer> {
  const body = goodBodyOf(route);
  const options = body === undefined ? { headers } : { headers, body };
  return service.raw(route.method.toUpperCase(), fillPath(route, uids), options);
}

/** The parameters of a path that identify data of an application, innermost last. */
function dataUidsIn({ path }: Route): string[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  // A token can lack its row, so a user's path takes any ID of a token.
  return names.filter((name) => name !== 'appUid' && name !== 'tokenUid');
}

/** Checks that a response contains no uid of the other application. */
function expectNothingOf(uids: PathUids, answer: Answer): void {
  for (const uid of Object.values(uids)) expect(answer.text).not.toContain(uid);
}

const keyRoutes = routes.flatMap((route): [string, Route, Scope][] =>
  route.access.kind === 'key' ? [[nameOf(route), route, route.access.scope]] : [],
);
const adminRoutes = routes.flatMap((route): [string, Route, AdminNeed][] =>
  route.access.kind === 'admin' ? [[nameOf(route), route, route.access.needs]] : [],
);

test('only these routes need no credentials', () => {
  const open = routes.filter(({ access }) => !['key', 'admin'].includes(access.kind));
  expect(open.map(nameOf).toSorted()).toEqual([
    'GET /.well-known/jwks.json',
    'GET /.well-known/openid-configuration',
    'GET /.well-known/webhook-sources.json',
    // An admin who is signing in has no session yet.
    'GET /admin/api/oidc/callback',
    'GET /admin/api/oidc/start',
    'GET /admin/api/sign-in-methods',
    'GET /api/v1/appuid/:appUid/.well-known/webhook-keys.json',
    'GET /docs',
    'GET /docs/:documentName',
    'GET /docs/migration',
    'GET /docs/scalar.js',
    'GET /healthz',
    'GET /llms.txt',
    'GET /openapi.json',
    'GET /readyz',
    'POST /admin/api/session',
    'POST /api-authenticate-embedded-user',
  ]);
});

describe.each(keyRoutes)('%s', (_name, route, scope) => {
  test('every kind of invalid key gets 401', async () => {
    for (const headers of Object.values(badKeys)) {
      expectProblem(await call(route, { uids: own, headers }), 401, 'unauthenticated');
    }
  });

  test(`a key without the scope ${scope} gets 403`, async () => {
    const others = scopes.filter((each) => each !== scope).map((each) => keysOf[each]);
    for (const key of [keysWithout[scope], ...others]) {
      const answer = await call(route, { uids: own, headers: { 'x-api-key': key } });
      expectProblem(answer, 403, 'insufficient_scope');
    }
  });

  test("for a disabled application its key gets 403, an unknown key 401 and another application's key 404", async () => {
    const uids = { ...own, appUid: disabled.appUid };
    const withKey = (headers: Record<string, string>) => call(route, { uids, headers });
    expectProblem(await withKey({ 'x-api-key': disabled.apiKey }), 403, 'app_disabled');
    expectProblem(await withKey({ 'x-api-key': newApiKey().text }), 401, 'unauthenticated');
    expectProblem(await withKey({ 'x-api-key': service.app.apiKey }), 404, 'not_found');
  });

  test("another application's key gets 404", async () => {
    const headers = { 'x-api-key': service.app.apiKey };
    const answer = await call(route, { uids: foreign, headers });
    expectProblem(answer, 404, 'not_found');
    expect(answer.body['detail']).toBe('there is no such application');
    expectNothingOf(foreign, answer);
  });
});

const routesOfData = keyRoutes.filter(([, route]) => dataUidsIn(route).length > 0);

test.each(routesOfData)("%s gets 404 for another application's data", async (_name, route) => {
  const headers = { 'x-api-key': service.app.apiKey };
  const things = dataUidsIn(route);
  const swaps = [...things.map((thing) => [thing]), things];
  for (const swapped of swaps) {
    const uids = { ...own, ...Object.fromEntries(swapped.map((name) => [name, foreign[name]])) };
    const answer = await call(route, { uids: uids as PathUids, headers });
    expectProblem(answer, 404, 'not_found');
    expectNothingOf(foreign, answer);
  }
});

test("uids of another application's data are refused in bodies, too", async () => {
  const webhookUids = [foreign['webhookUid']];
  const resend = await service.call('POST', `/events/${own['eventId']}/resend`, {
    body: { webhookUids },
  });
  expectProblem(resend, 422, 'unknown_webhook_uids');
  const signIn = await service.call('POST', '/sdkusers/auth', {
    body: { externalId: 'user-1', accountUids: [foreign['accountUid']] },
  });
  expectProblem(signIn, 422, 'unknown_account_uids');
});

const lists = keyRoutes.filter(
  ([, { method, path }]) => method === 'get' && !/:\w+$|\/stream$/.test(path),
);

test.each(lists)('%s lists nothing of another application', async (_name, route) => {
  const headers = { 'x-api-key': service.app.apiKey };
  const answer = await call(route, { uids: own, headers });
  expect(answer.status).toBe(200);
  expectNothingOf(foreign, answer);
});

test('none of these calls changed the other application', async () => {
  expect(await readEverythingOf(service.store, other.appUid)).toEqual(otherBefore);
});

describe('the admin area', () => {
  let members: Record<Role, TestAdmin>;
  let otherOwner: TestAdmin;
  let things: PathUids;
  let otherThings: PathUids;

  beforeAll(async () => {
    const superuser = await makeTestAdmin(service);
    const join = async (app: NewApp, role: Role): Promise<TestAdmin> => {
      const member = await makeTestAdmin(service);
      const body = { email: member.email, role };
      await superuser.call('POST', `/apps/${app.appUid}/members`, { body });
      return member;
    };
    const entries = roles.map(async (role) => [role, await join(service.app, role)] as const);
    members = Object.fromEntries(await Promise.all(entries)) as Record<Role, TestAdmin>;
    otherOwner = await join(other, 'owner');
    things = { ...own, ...(await furnishAdminArea(service.app, members.owner)) };
    otherThings = { ...foreign, ...(await furnishAdminArea(other, otherOwner)) };
  });

  test.each(adminRoutes)('%s gets 401 without a session', async (_name, route) => {
    expectProblem(await call(route, { uids: things, headers: {} }), 401, 'not_signed_in');
    const key = { 'x-api-key': service.app.apiKey };
    expectProblem(await call(route, { uids: things, headers: key }), 401, 'not_signed_in');
  });

  const byRole = adminRoutes.filter(([, , needs]) => needs !== 'session');

  test.each(byRole)('%s gets 403 for lower roles', async (_name, route, needs) => {
    const ranked: Role[] = ['viewer', 'admin', 'owner'];
    const lower = needs === 'superuser' ? ranked : ranked.slice(0, ranked.indexOf(needs as Role));
    for (const role of lower) {
      const answer = await call(route, { uids: things, headers: members[role].headers });
      expectProblem(answer, 403, 'insufficient_role');
    }
  });

  const ofApps = adminRoutes.filter(([, { path }]) => path.includes(':appUid'));

  test.each(ofApps)("%s gets 404 for another application's owner", async (_name, route) => {
    const answer = await call(route, { uids: things, headers: otherOwner.headers });
    expectProblem(answer, 404, 'not_found');
    expectNothingOf(things, answer);
  });

  const ofData = ofApps.filter(([, route]) => dataUidsIn(route).length > 0);

  test.each(ofData)(
    "%s of the admin area gets 404 for another application's data",
    async (_name, route) => {
      const uids = { ...otherThings, appUid: service.app.appUid };
      const answer = await call(route, { uids, headers: members.owner.headers });
      expectProblem(answer, 404, 'not_found');
      expectNothingOf(otherThings, answer);
    },
  );
});
