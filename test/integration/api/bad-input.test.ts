// Calls every route of the table with parameters and uids that it does not accept, and every field of every body with
// every kind of bad value, derived from the schemas. New routes are included.
import type { Route } from '../../../api/route.ts';
import { routes } from '../../../api/routes.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { badBodiesOf, textThatFails } from './bad-bodies.ts';
import {
  fillPath,
  furnishAdminArea,
  furnishApp,
  goodBodyOf,
  nameOf,
  type PathUids,
  readEverythingOf,
} from './furnished-app.ts';
import { expectProblem, faultsOf } from './problems.ts';

let superuser: TestAdmin;
let uids: PathUids;
let before: Record<string, unknown[]>;

const service = useService({ worker: false });

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
  uids = {
    ...(await furnishApp(service.apiUrl, service.app)),
    ...(await furnishAdminArea(service.app, superuser)),
    documentName: 'webhooks.md',
  };
  // The first read of the set makes its key.
  await service.call('GET', '/.well-known/webhook-keys.json');
  before = await readEverythingOf(service.store, service.app.appUid);
});

function sendQuery(route: Route, query: string, headers?: Record<string, string>): Promise<Answer> {
  const own = route.access.kind === 'key' ? { 'x-api-key': service.app.apiKey } : superuser.headers;
  const body = goodBodyOf(route);
  return service.raw(route.method.toUpperCase(), fillPath(route, uids) + query, {
    headers: headers ?? own,
    ...(body === undefined ? {} : { body }),
  });
}

const closed = routes.flatMap((route): [string, Route][] =>
  route.access.kind === 'open' ? [] : [[nameOf(route), route]],
);
const open = routes.flatMap((route): [string, Route][] =>
  route.access.kind === 'open' ? [[nameOf(route), route]] : [],
);

test.each(closed)(
  '%s does not report query errors to callers without access',
  async (_name, route) => {
    // An admin who is signing in is not known yet.
    const status = route.access.kind === 'own_pages' ? 403 : 401;
    const stranger = { 'sec-fetch-site': 'cross-site' };
    expect((await sendQuery(route, '?colour=red', stranger)).status).toBe(status);
  },
);

const takers = closed.flatMap(([name, route]) =>
  Object.keys(route.handler.parameters ?? {}).map((parameter): [string, string, Route] => [
    name,
    parameter,
    route,
  ]),
);

test.each(takers)(
  '%s accepts %s once, and only in this spelling',
  async (_name, parameter, route) => {
    const twice = await sendQuery(route, `?${parameter}=1&${parameter}=1`);
    expectProblem(twice, 400, 'invalid_request');
    expect(faultsOf(twice)).toEqual([`${parameter} repeated`]);
    const changed = [parameter.toUpperCase(), `${parameter}[]`, ` ${parameter}`, `${parameter}s`];
    const query = changed.map((name) => `${encodeURIComponent(name)}=1`).join('&');
    const misspelt = await sendQuery(route, `?${query}`);
    expectProblem(misspelt, 400, 'invalid_request');
    expect(faultsOf(misspelt)).toEqual(changed.map((name) => `${name} unknown`));
  },
);

test.each([
  ['?state=delivered&stat=x&limit=1&limit=2', ['stat unknown', 'limit repeated']],
  ['?', undefined],
  ['?&&', undefined],
  ['?=1', [' unknown']],
  ['?limit=0&since=now&stat=x', ['limit range', 'since time', 'stat unknown']],
])('the query %j of deliveries has the errors %j', async (query, faults) => {
  const path = `/webhooks/${uids['webhookUid'] ?? ''}/deliveries`;
  const answer = await service.call('GET', path + query);
  expect(answer.status).toBe(faults === undefined ? 200 : 400);
  expect(faultsOf(answer)).toEqual(faults ?? []);
});

test.each(open)('%s ignores added query parameters', async (_name, route) => {
  const [plain, added] = [
    await sendQuery(route, ''),
    await sendQuery(route, '?colour=red&colour=blue'),
  ];
  expect([added.status, added.body['code']]).toEqual([plain.status, plain.body['code']]);
});

test.each([
  '%zz',
  '%00',
  '%',
  '%ff',
  '..%2f..',
  '$ne',
  '{"$gt":""}',
  '[object%20Object]',
  '%F0%9F%98%80',
  'x'.repeat(8_000),
  '__proto__',
])('the uid %j is not found at any position in a path', async (uid) => {
  const paths = [
    `/agents/${uid}`,
    `/webhooks/${uid}`,
    `/contexts/${uid}`,
    `/contexts/${uid}/files`,
    `/contexts/${uids['contextUid']}/files/${uid}`,
    `/events/${uid}`,
    `/events/${uid}/deliveries`,
  ];
  for (const path of paths) {
    expectProblem(await service.call('GET', path), 404, 'not_found');
  }
  expectProblem(await service.call('DELETE', `/agents/${uid}`), 404, 'not_found');
  expectProblem(await service.raw('GET', `/api/v1/appuid/${uid}/agents`), 404, 'not_found');
});

test('none of these calls changed anything', async () => {
  expect(await readEverythingOf(service.store, service.app.appUid)).toEqual(before);
});

function send(route: Route, body: string | undefined, more: Record<string, string> = {}) {
  const caller =
    route.access.kind === 'key' ? { 'x-api-key': service.app.apiKey } : superuser.headers;
  const options = { headers: { ...caller, ...more }, ...(body === undefined ? {} : { body }) };
  return service.raw(route.method.toUpperCase(), fillPath(route, uids), options);
}

const handlersOfKeys = new Set(
  routes.filter(({ access }) => access.kind === 'key').map(({ handler }) => handler),
);

/** Checks whether an admin's call is also a key's: handler and body are the same. */
const isShared = ({ access, handler }: Route): boolean =>
  access.kind === 'admin' && handlersOfKeys.has(handler);

const withBody = routes.flatMap((route): [string, Route][] =>
  route.body === null || isShared(route) ? [] : [[nameOf(route), route]],
);

/** Returns the pointers of the errors that the route's body check finds. */
function pointersOfCheck({ body }: Route, text: string): string[] {
  try {
    body?.(JSON.parse(text));
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

function hasPointer(pointers: readonly string[], pointer: string): boolean {
  return pointers.some((each) => each === pointer || each.startsWith(`${pointer}/`));
}

describe.each(withBody)('%s', (_name, route) => {
  const good = (goodBodyOf(route) ?? {}) as Record<string, unknown>;

  test('accepts the good body from which the bad ones are derived', () => {
    expect(route.body?.(good)).toEqual(good);
  });

  test('refuses each bad value of each field, and points to the field', async () => {
    const accepted: string[] = [];
    const called = new Set<string>();
    for (const { what, pointer, text } of badBodiesOf(route, good)) {
      // Per field, one value goes through a call. The others go only to the check, if that can locate the error.
      if (called.has(pointer) && hasPointer(pointersOfCheck(route, text), pointer)) continue;
      called.add(pointer);
      const answer = await send(route, text);
      // Its purpose is to report what is wrong with a text.
      const isCheck = pointer === '#/url' && route.path.endsWith('/check-url');
      if (isCheck && answer.status === 200 && answer.text.includes('"code"')) continue;
      const pointers = faultsOf(answer).map((fault) => fault.split(' ')[0] ?? '');
      const isRefused = answer.status === 400 || answer.status === 422;
      if (!isRefused || !hasPointer(pointers, pointer)) {
        accepted.push(`${what}: ${answer.status} ${JSON.stringify(answer.body['errors'])}`);
      } else {
        expectProblem(answer, answer.status, answer.body['code'] as never);
      }
    }
    expect(accepted).toEqual([]);
  });

  test.each(textThatFails(good))('rejects %s as a body', async (_what, text) => {
    expectProblem(await send(route, text), 400, 'malformed_json');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    'rejects a body of the type %s',
    async (type) => {
      const answer = await send(route, JSON.stringify(good), { 'content-type': type });
      expectProblem(answer, 415, 'unsupported_media_type');
    },
  );
});

test('all routes except reads and open ones check their body', () => {
  const unread = routes.filter(({ method, body }) => method !== 'get' && body === null);
  expect(unread.map(nameOf)).toEqual(['POST /api-authenticate-embedded-user']);
});

test('no bad body was stored or changed anything', async () => {
  const agents = await service.store.agents.find({ appUid: service.app.appUid }).toArray();
  expect(agents.map((agent) => agent._id)).toEqual([uids['agentUid']]);
  const webhooks = await service.store.webhooks.find({ appUid: service.app.appUid }).toArray();
  expect(webhooks.map((webhook) => webhook._id)).toEqual([uids['webhookUid']]);
  expect(await service.store.users.countDocuments({ appUid: service.app.appUid })).toBe(1);
});

test('a route without fields accepts an empty object', async () => {
  const revoked = await service.call('POST', '/sdkusers/tokens/revoke', { body: {} });
  expect(revoked.status).toBe(204);
  const deleted = await service.call('DELETE', `/agents/${uids['agentUid']}`, { body: {} });
  expect(deleted.status).toBe(204);
});
