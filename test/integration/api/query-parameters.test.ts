// Calls every route of the table with parameters that it does not accept. New routes are included.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../api/router.ts';
import { routes } from '../../../api/routes.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
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

let service: TestService;
let superuser: TestAdmin;
let uids: PathUids;
let before: Record<string, unknown[]>;

beforeAll(async () => {
  service = await startService({ worker: false });
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

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

function send(route: Route, query: string, headers?: Record<string, string>): Promise<Answer> {
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

test('the routes accept only these parameters', () => {
  const taken = closed.flatMap(([name, { handler }]) =>
    handler.parameters === undefined
      ? []
      : [`${name}: ${Object.keys(handler.parameters).join(', ')}`],
  );
  const attempts = 'state, statusClass, errorClass';
  const page = 'since, until, limit, cursor';
  const audit = 'action, actorUid, targetUid, since, until, limit, cursor';
  const ofBoth = [
    '/accounts/:accountUid/members: limit, cursor',
    '/accounts: namePrefix, limit, cursor',
    '/agents: limit, cursor',
    `/audit-log: ${audit}`,
    '/contexts/:contextUid/files: limit, cursor',
    '/contexts: limit, cursor',
    `/deliveries: ${attempts}, webhookUid, event, externalTenantId, ${page}`,
    `/events/:eventId/deliveries: ${attempts}, webhookUid, ${page}`,
    '/events/stream: event, entity, resourceUid, externalTenantId, since',
    `/events: event, entity, resourceUid, externalTenantId, ${page}`,
    '/erasures: limit, cursor',
    '/replays: limit, cursor',
    '/sdkusers: externalId, email, namePrefix, limit, cursor',
    '/stats/deliveries: interval, since, until, webhookUid',
    '/stats/webhooks: interval, since, until',
    '/stats/outcomes: webhookUids',
    `/webhooks/:webhookUid/deliveries: ${attempts}, event, externalTenantId, ${page}`,
    '/syncs: webhookUid, limit, cursor',
    '/webhooks/:webhookUid/replays: limit, cursor',
  ];
  const ofAdmins = [
    '/keys: keyIdPrefix, limit, cursor',
    '/members: limit, cursor',
    '/tenants: prefix',
  ];
  expect(taken.toSorted()).toEqual(
    [
      ...ofBoth.map((line) => `GET /api/v1/appuid/:appUid${line}`),
      ...[...ofBoth, ...ofAdmins].map((line) => `GET /admin/api/apps/:appUid${line}`),
      'GET /admin/api/apps: limit, cursor',
      'GET /admin/api/sessions: limit, cursor',
      'GET /admin/api/stats/failing-webhooks: limit',
      `GET /admin/api/audit-log: ${audit}`,
    ].toSorted(),
  );
});

describe.each(closed)('%s', (_name, route) => {
  const parameters = Object.keys(route.handler.parameters ?? {});

  test('rejects an unknown parameter by name and lists the accepted ones', async () => {
    const answer = await send(route, '?colour=red');
    expectProblem(answer, 400, 'invalid_request');
    expect(faultsOf(answer)).toEqual(['colour unknown']);
    const taken = parameters.length === 0 ? 'none' : parameters.join(', ');
    expect(answer.body['detail']).toBe(
      `colour is not a parameter of this call; its parameters are: ${taken}`,
    );
  });

  test('does not report query errors to callers without access', async () => {
    // An admin who is signing in is not known yet.
    const status = route.access.kind === 'own_pages' ? 403 : 401;
    const stranger = { 'sec-fetch-site': 'cross-site' };
    expect((await send(route, '?colour=red', stranger)).status).toBe(status);
  });
});

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
    const twice = await send(route, `?${parameter}=1&${parameter}=1`);
    expectProblem(twice, 400, 'invalid_request');
    expect(faultsOf(twice)).toEqual([`${parameter} repeated`]);
    const changed = [parameter.toUpperCase(), `${parameter}[]`, ` ${parameter}`, `${parameter}s`];
    const query = changed.map((name) => `${encodeURIComponent(name)}=1`).join('&');
    const misspelt = await send(route, `?${query}`);
    expectProblem(misspelt, 400, 'invalid_request');
    expect(faultsOf(misspelt)).toEqual(changed.map((name) => `${name} unknown`));
  },
);

test.each([
  ['?statusclass=5xx', ['statusclass unknown']],
  ['?state=delivered&stat=x&limit=1&limit=2', ['stat unknown', 'limit repeated']],
  ['?', undefined],
  ['?&&', undefined],
  ['?=1', [' unknown']],
  ['?limit', ['limit range']],
])('the query %j of deliveries has the errors %j', async (query, faults) => {
  const path = `/webhooks/${uids['webhookUid'] ?? ''}/deliveries`;
  const answer = await service.call('GET', path + query);
  expect(answer.status).toBe(faults === undefined ? 200 : 400);
  expect(faultsOf(answer)).toEqual(faults ?? []);
});

test.each(open)('%s ignores added query parameters', async (_name, route) => {
  const [plain, added] = [await send(route, ''), await send(route, '?colour=red&colour=blue')];
  expect([added.status, added.body['code']]).toEqual([plain.status, plain.body['code']]);
});

test('none of these calls changed anything', async () => {
  expect(await readEverythingOf(service.store, service.app.appUid)).toEqual(before);
});
