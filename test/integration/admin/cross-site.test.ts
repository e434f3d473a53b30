// Requests that pages of other sites trigger in a browser are rejected, even with the cookie.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../../api/router.ts';
import { routes } from '../../../api/routes.ts';
import { makeTestAdmin, signIn, type TestAdmin } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { goodBodyOf, nameOf } from '../api/furnished-app.ts';
import { expectProblem } from '../api/problems.ts';

let service: TestService;
let ada: TestAdmin;

beforeAll(async () => {
  service = await startService({ worker: false });
  ada = await makeTestAdmin(service);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function createApp(headers: Record<string, string>): Promise<number> {
  const body = { name: 'App' };
  const answer = await service.raw('POST', '/admin/api/apps', { headers, body });
  if (answer.status === 403) expectProblem(answer, 403, 'cross_site_request');
  return answer.status;
}

test('a call that changes something needs the CSRF token of its own session', async () => {
  const cookie = ada.headers['cookie'] ?? '';
  const other = await signIn(service, ada);
  const token = ada.headers['x-csrf-token'] ?? '';
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
  const { cookie = '' } = ada.headers;
  const body = goodBodyOf(route);
  for (const headers of [{ cookie }, { ...ada.headers, origin: 'https://evil.example' }]) {
    const options = { headers, ...(body === undefined ? {} : { body }) };
    const answer = await service.raw(route.method.toUpperCase(), path, options);
    expectProblem(answer, 403, 'cross_site_request');
  }
});

test('a call that reads needs no CSRF token', async () => {
  const cookie = ada.headers['cookie'] ?? '';
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
  expect(await createApp({ ...ada.headers, ...page })).toBe(status);
});

test("the request's own host is accepted as an origin, too", async () => {
  expect(await createApp({ ...ada.headers, origin: service.apiUrl })).toBe(201);
});

test('a sign-in from another site is refused', async () => {
  const answer = await service.raw('POST', '/admin/api/session', {
    headers: { origin: 'http://evil.example' },
    body: { email: ada.email, password: ada.password },
  });
  expectProblem(answer, 403, 'cross_site_request');
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test('no response allows another origin to read it', async () => {
  const preflight = await fetch(`${service.apiUrl}/admin/api/apps`, {
    method: 'OPTIONS',
    headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
  });
  expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
    [],
  );
});
