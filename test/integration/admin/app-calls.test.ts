// The calls of an application for admins: they read and change the same data as its keys.
import type { Route } from '../../../api/route.ts';
import { routes } from '../../../api/routes.ts';
import { streamLimits } from '../../../lib/limits.ts';
import type { Role } from '../../../lib/model/membership.ts';
import { makeTestAdmin, signIn, type TestAdmin } from '../../support/admin-client.ts';
import { openStream, type StreamReader } from '../../support/event-stream.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fillPath, furnishApp, nameOf, type PathUids, shortNameOf } from '../api/furnished-app.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';

let superuser: TestAdmin;
let viewer: TestAdmin;
let uids: PathUids;
let app: string;

const service = useService({ worker: false });

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
  viewer = await join('viewer');
  uids = await furnishApp(service.apiUrl, service.app);
  app = `/apps/${service.app.appUid}`;
  // Otherwise the responses to two calls could differ in `dispatchedAt`, or in the tokens of a user.
  const isWritten = async (): Promise<boolean> =>
    (await service.store.events.countDocuments({ dispatchedAt: null })) === 0 &&
    (await service.store.tokens.countDocuments()) > 0;
  await waitFor(isWritten, { what: 'the start of all workflows, and the row of a token' });
});

/** Makes an admin who is a member of the application. */
async function join(role: Role): Promise<TestAdmin> {
  const member = await makeTestAdmin(service);
  const body = { email: member.email, role };
  const members = `/apps/${service.app.appUid}/members`;
  expect((await superuser.call('POST', members, { body })).status).toBe(201);
  return member;
}

const keyRoutes = new Map(
  routes.flatMap((route) => (route.access.kind === 'key' ? [[shortNameOf(route), route]] : [])),
);
const reads = routes.flatMap((route): [string, Route, Route][] => {
  const ofKey = keyRoutes.get(shortNameOf(route));
  const isShared = route.access.kind === 'admin' && ofKey !== undefined;
  const isList = !route.path.endsWith('/stream');
  return isShared && route.method === 'get' && isList ? [[nameOf(route), route, ofKey]] : [];
});

test('admins have all calls of a key except sign-ins of users and changes of resources', () => {
  const ofAdmins = new Set(
    routes.flatMap((route) => (route.access.kind === 'admin' ? [shortNameOf(route)] : [])),
  );
  expect([...keyRoutes.keys()].filter((name) => !ofAdmins.has(name)).toSorted()).toEqual([
    'DELETE …/agents/:agentUid',
    'DELETE …/contexts/:contextUid',
    'DELETE …/contexts/:contextUid/files/:fileUid',
    'PATCH …/agents/:agentUid',
    'PATCH …/contexts/:contextUid',
    'PATCH …/contexts/:contextUid/files/:fileUid',
    'POST …/agents',
    'POST …/changes',
    'POST …/contexts',
    'POST …/contexts/:contextUid/files',
    'POST …/sdkusers/auth',
    'POST …/sdkusers/token/verify',
  ]);
});

// Times that may differ, such as the end of complete statistics; also in seconds.
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z|"\d{10}"/g;

test.each(reads)(
  '%s responds to a viewer as it does to a key, without a secret',
  async (...line) => {
    const [, ofAdmin, ofKey] = line;
    const seen = await service.raw('GET', fillPath(ofAdmin, uids), { headers: viewer.headers });
    expect(seen.status).toBe(200);
    const asKey = await service.raw('GET', fillPath(ofKey, uids));
    // Admins see more of a delivery's request (delivery-detail.test.ts).
    const [one, other] = [seen, asKey].map(({ body }) =>
      JSON.stringify({ ...body, request: null }).replaceAll(time, 'a time'),
    );
    expect(one).toBe(other);
    expect(seen.text).not.toMatch(/whsec_|ahk_|"secret"|passwordHash|authToken/);
  },
);

test('the secret of a webhook created by an admin is shown once, and the log names the admin', async () => {
  const admin = await join('admin');
  const headers = { ...admin.headers, 'idempotency-key': 'hook-1' };
  const body = { url: 'http://127.0.0.1:9/', entities: ['agent'], active: false };
  const made = await admin.call('POST', `${app}/webhooks`, { body, headers });
  expect(made.status).toBe(201);
  const uid = String(made.body['uid']);
  expect(made.headers.get('location')).toBe(`/admin/api${app}/webhooks/${uid}`);
  const again = await admin.call('POST', `${app}/webhooks`, { body, headers });
  expect(again.body).toEqual(made.body);
  const shown = await service.raw('GET', made.headers.get('location') ?? '', {
    headers: viewer.headers,
  });
  expect(shown.text).not.toContain(String(made.body['secret']));
  const rows = await viewer.call('GET', `${app}/audit-log?targetUid=${uid}`);
  const actor = { kind: 'admin', uid: admin.admin._id };
  expect(itemsOf(rows)).toMatchObject([{ action: 'webhook.created', actor }]);
});

test('the same idempotency key from an API key of the application or from another admin is a different key', async () => {
  const [one, other] = [await join('admin'), await join('admin')];
  const body = { name: 'Once' };
  const idempotency = { 'idempotency-key': 'account-1' };
  const make = (headers: Record<string, string>, path: string) =>
    service.raw('POST', path, { body, headers: { ...headers, ...idempotency } });
  const answers = [
    await make(one.headers, `/admin/api${app}/accounts`),
    await make(other.headers, `/admin/api${app}/accounts`),
    await make(
      { 'x-api-key': service.app.apiKey },
      `/api/v1/appuid/${service.app.appUid}/accounts`,
    ),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(answers.map((answer) => answer.body['uid'])).size).toBe(3);
});

describe('the live stream of an admin', () => {
  const open = (admin: TestAdmin, lastEventId = ''): Promise<StreamReader> => {
    // Like EventSource, which cannot set its own headers.
    const headers = { cookie: admin.headers['cookie'] ?? '' };
    return openStream({ ...service, path: `/admin/api${app}` }, { headers, lastEventId });
  };

  async function report(): Promise<string> {
    const data = { uid: 'agt_1', externalTenantId: 'tenant-1' };
    const body = { event: 'agent.updated', data };
    return String((await service.call('POST', '/changes', { body })).body['eventId']);
  }

  async function reasonOf(reader: StreamReader): Promise<unknown> {
    await reader.ended;
    return reader.messages.at(-1)?.data['reason'];
  }

  test('ends in seconds once the session has ended, and others continue', async () => {
    const guest = await join('viewer');
    using ended = await open(guest);
    using other = await open(viewer);
    expect((await guest.call('DELETE', '/session')).status).toBe(204);
    expect(await reasonOf(ended)).toBe('session_ended');
    const eventId = await report();
    await waitFor(() => other.eventIds().includes(eventId));
    expectProblem(await guest.call('GET', `${app}/events/stream`), 401, 'not_signed_in');
  });

  test('is limited to 10 per admin over all sessions', async () => {
    const guest = await join('viewer');
    const { headers } = await signIn(service, guest);
    const readers = await Promise.all(
      Array.from({ length: streamLimits.streamsPerCallerMax }, () => open(guest)),
    );
    const path = `/admin/api${app}/events/stream`;
    expectProblem(await service.raw('GET', path, { headers }), 429, 'rate_limited');
    for (const reader of readers) reader[Symbol.dispose]();
  });

  test.each([
    ['idle for an hour', { lastUsedAt: new Date(Date.now() - 3_600_000) }],
    ['older than 12 hours', { expiresAt: new Date(Date.now() - 1) }],
  ])('ends once the session is %s', async (_what, fields) => {
    const guest = await join('viewer');
    using ended = await open(guest);
    const ofGuest = { adminUid: guest.admin._id };
    await service.store.adminSessions.updateOne(ofGuest, { $set: fields });
    expect(await reasonOf(ended)).toBe('session_ended');
  });

  test('ends once the admin has no role any more', async () => {
    const guest = await join('admin');
    using ended = await open(guest);
    await superuser.call('DELETE', `${app}/members/${guest.admin._id}`);
    expect(await reasonOf(ended)).toBe('role_ended');
  });

  test('of a superuser continues without a membership, and ends when the superuser is demoted', async () => {
    const guest = await makeTestAdmin(service, { superuser: true });
    using reader = await open(guest);
    const eventId = await report();
    await waitFor(() => reader.eventIds().includes(eventId));
    const demoted = { $set: { superuser: false } };
    await service.store.admins.updateOne({ _id: guest.admin._id }, demoted);
    expect(await reasonOf(reader)).toBe('role_ended');
  });
});
