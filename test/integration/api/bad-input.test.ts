// Every field of every body with every kind of bad value, derived from the schemas.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../api/router.ts';
import { routes } from '../../../api/routes.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { badBodiesOf, textThatFails } from './bad-bodies.ts';
import {
  fillPath,
  furnishAdminArea,
  furnishApp,
  goodBodyOf,
  nameOf,
  type PathUids,
} from './furnished-app.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let superuser: TestAdmin;
let uids: PathUids;

beforeAll(async () => {
  service = await startService({ worker: false });
  superuser = await makeTestAdmin(service);
  uids = {
    ...(await furnishApp(service.apiUrl, service.app)),
    ...(await furnishAdminArea(service.app, superuser)),
  };
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
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

test.each([undefined, 'application/json', 'text/plain'])(
  'a route without fields accepts an empty body of the type %s',
  async (type) => {
    const own = { 'x-api-key': service.app.apiKey };
    const headers = { ...own, ...(type === undefined ? {} : { 'content-type': type }) };
    const revoked = await service.call('POST', '/sdkusers/tokens/revoke', { headers });
    expect(revoked.status).toBe(204);
    const deleted = await service.call('DELETE', '/agents/agt_none', { headers });
    expectProblem(deleted, 404, 'not_found');
  },
);

test('a route without fields accepts an empty object', async () => {
  const revoked = await service.call('POST', '/sdkusers/tokens/revoke', { body: {} });
  expect(revoked.status).toBe(204);
  const deleted = await service.call('DELETE', `/agents/${uids['agentUid']}`, { body: {} });
  expect(deleted.status).toBe(204);
});
