// Every route that changes something leaves one audit row, or is in the list of exceptions.
import { routes } from '../../../api/routes.ts';
import type { Route } from '../../../api/route.ts';
import {
  actions as ofApplications,
  installationActions,
} from '../../../console/src/pages/audit/actions.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import {
  fillPath,
  furnishAdminArea,
  furnishApp,
  goodBodyOf,
  nameOf,
  shortNameOf,
  type PathUids,
} from './furnished-app.ts';
import { itemsOf } from './problems.ts';

let superuser: TestAdmin;

const service = useService({ worker: false });

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
});

// Sign-ins without a new account, and changes of resources, have other records.
const unaudited = new Set([
  'POST …/sdkusers/auth',
  'POST …/sdkusers/token/verify',
  'POST …/webhooks/check-url',
  ...routes
    .map(shortNameOf)
    .filter((name) => /^(POST|PATCH|DELETE) \S+\/(agents|contexts|files|changes)\b/.test(name)),
]);

/** Callers filter by these names. */
const actions: readonly string[] = [...ofApplications, ...installationActions];

/** An application with one of everything, and an admin, for one call. */
interface Scene {
  client: ApiClient;
  uids: PathUids;
  admin: TestAdmin;
  /** The credentials that the route needs. */
  headers: Record<string, string>;
}

type Preparation = (scene: Scene) => Promise<{ uids?: PathUids; body?: unknown }>;

/** Makes another admin a member, who can be changed or removed. */
const withGuest: Preparation = async ({ admin, uids }) => {
  const guest = await makeTestAdmin(service);
  const body = { email: guest.email, role: 'admin' };
  await admin.call('POST', `/apps/${uids['appUid']}/members`, { body });
  return { uids: { adminUid: guest.admin._id } };
};

/** Resumes the furnished webhook. Without a worker nothing is sent. */
const withActiveWebhook: Preparation = async ({ client, uids: { webhookUid } }) => {
  await client.call('PATCH', `/webhooks/${webhookUid}`, { body: { active: true } });
  return { body: { webhookUids: [webhookUid] } };
};

/** What some calls need in addition to a furnished application and a good body. */
const preparations: Readonly<Record<string, Preparation>> = {
  'PUT …/accounts/:accountUid/members/:userUid': async ({ client }) => {
    const body = { externalId: 'of-no-account' };
    const { body: user } = await client.call('POST', '/sdkusers/auth', { body });
    return { uids: { userUid: String(user['userUid']) } };
  },
  'POST …/webhooks/:webhookUid/secret/promote': async ({ client, uids }) => {
    await client.call('POST', `/webhooks/${uids['webhookUid']}/secret/rotate`, { body: {} });
    return {};
  },
  'POST …/webhooks/:webhookUid/test': async (scene) => {
    await withActiveWebhook(scene);
    return {};
  },
  'POST …/events/:eventId/resend': withActiveWebhook,
  'DELETE sessions/:sessionUid': async ({ admin }) => {
    const [session] = itemsOf(await admin.call('GET', '/sessions'));
    return { uids: { sessionUid: String(session?.['uid']) } };
  },
  'POST session': async ({ admin: { email, password } }) => ({
    body: { email, password },
  }),
  'POST password': async ({ admin }) => ({
    body: { currentPassword: admin.password, newPassword: 'another long password' },
  }),
  'DELETE …/keys/:keyUid': async ({ admin, uids: { appUid, keyUid } }) => {
    await admin.call('POST', `/apps/${appUid}/keys/${keyUid}/revoke`);
    return {};
  },
  'POST …/members': async () => {
    const { email } = await makeTestAdmin(service);
    return { body: { email, role: 'viewer' } };
  },
  'PATCH …/members/:adminUid': withGuest,
  'DELETE …/members/:adminUid': withGuest,
};

const shared = new Map<string, Promise<Scene>>();

/** Routes that end or need something, and aliases, get their own scene. */
function findScene(route: Route): Promise<Scene> {
  const { access, method, path } = route;
  const isEnd = method === 'delete' || /\/(?:cancel|disable)$|\/uid\/:/.test(path);
  const needsMore = preparations[shortNameOf(route)] !== undefined;
  const kind = access.kind === 'admin' ? `admin ${access.needs}` : access.kind;
  if (isEnd || needsMore || kind === 'admin session') return setScene(route);
  const scene = shared.get(kind) ?? setScene(route);
  shared.set(kind, scene);
  return scene;
}

async function setScene({ access }: Route): Promise<Scene> {
  const app = await addApp(service);
  const uids = await furnishApp(service.apiUrl, app);
  // A route that ends a session gets its own admin.
  const isOwnSession = access.kind !== 'admin' || access.needs === 'session';
  const admin = access.kind !== 'key' && isOwnSession ? await makeTestAdmin(service) : superuser;
  const things = await furnishAdminArea(app, superuser);
  const ofAdmin = access.kind === 'admin' ? admin.headers : {};
  return {
    client: app,
    uids: { ...uids, ...things },
    admin,
    headers: access.kind === 'key' ? { 'x-api-key': app.apiKey } : ofAdmin,
  };
}

let calls = 0;

/** Calls a route so that it succeeds, and returns the rows that it left. */
async function rowsOf(route: Route): Promise<{ action: string; kind: string; address: unknown }[]> {
  const scene = await findScene(route);
  const prepared = await preparations[shortNameOf(route)]?.(scene);
  const body = prepared?.body ?? goodBodyOf(route);
  const requestId = `audited-${(calls += 1)}`;
  const path = fillPath(route, { ...scene.uids, ...prepared?.uids });
  const answer = await service.raw(route.method.toUpperCase(), path, {
    headers: { ...scene.headers, 'x-request-id': requestId },
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 300) throw new Error(`it is refused: ${answer.text}`);
  const rows = await service.store.auditLog.find({ requestId }).toArray();
  return rows.map(({ action, actor, address }) => ({ action, kind: actor.kind, address }));
}

const changing = routes.filter(({ method, access }) => method !== 'get' && access.kind !== 'open');
const audited = changing.filter((route) => !unaudited.has(shortNameOf(route)));

test.each(audited.map((route): [string, Route] => [nameOf(route), route]))(
  '%s leaves one row',
  async (_name, route) => {
    const kind = route.access.kind === 'key' ? 'api_key' : 'admin';
    const [row, ...more] = await rowsOf(route);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ kind, address: expect.stringMatching(/127\.0\.0\.1$/) });
    expect(actions).toContain(row?.action);
  },
);

const others = changing.filter((route) => unaudited.has(shortNameOf(route)));

test.each(others.map((route): [string, Route] => [nameOf(route), route]))(
  '%s leaves none',
  async (_name, route) => {
    expect(await rowsOf(route)).toEqual([]);
  },
);

test('every route in the list without rows exists', () => {
  expect(new Set(others.map(shortNameOf))).toEqual(unaudited);
  expect(others.length).toBeGreaterThan(10);
});
