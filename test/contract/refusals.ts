// Every route of the tables that needs credentials, with requests that it must refuse.
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes.ts';
import { goodBodyOf } from '../integration/api/furnished-app.ts';
import { makeKey } from '../integration/api/problems.ts';
import { makeTestAdmin } from '../support/admin-client.ts';
import { type CallOptions, nameRoute } from './recorder.ts';
import type { Stage } from './stage.ts';

/** The answers of a route, such as `401 unauthenticated`, by the fault of the request. */
export type Refusals = Record<string, string>;

type Headers = Record<string, string | null>;

/** The headers of the callers. */
interface Callers {
  key: Headers;
  scopelessKey: Headers;
  superuser: Headers;
  viewer: Headers;
}

/** A request that is refused, for one reason. */
interface BadRequest extends Pick<CallOptions, 'body'> {
  what: string;
  path: string;
  headers: Headers;
}

/** Makes all calls, in an installation with admins; returns the refusals by the route's name. */
export async function playRefusals(stage: Stage): Promise<Record<string, Refusals>> {
  const { service, prepare } = stage;
  const superuser = await makeTestAdmin(service, { superuser: true });
  const viewer = await makeTestAdmin(service);
  const { appUid, apiKey } = service.app;
  await prepare(`POST /admin/api/apps/${appUid}/members`, {
    body: { email: viewer.email, role: 'viewer' },
    headers: superuser.headers,
  });
  const callers: Callers = {
    key: { 'x-api-key': apiKey },
    scopelessKey: { 'x-api-key': await makeKey(service, { scopes: [] }) },
    superuser: superuser.headers,
    viewer: viewer.headers,
  };
  const refusals: Record<string, Refusals> = {};
  for (const route of routes) {
    const answers: Refusals = {};
    for (const { what, path, ...options } of badRequests(route, callers, appUid)) {
      const answer = await stage.describe(`${route.method.toUpperCase()} ${path}`, options);
      const { status, problem = 'no problem', faults = [] } = answer;
      answers[what] = [status, problem, ...faults].join(' ');
    }
    if (Object.keys(answers).length > 0) refusals[nameRoute(route)] = answers;
  }
  return refusals;
}

function badRequests(route: Route, callers: Callers, appUid: string): BadRequest[] {
  const { access } = route;
  if (access.kind !== 'key' && access.kind !== 'admin') return [];
  const isOfKey = access.kind === 'key';
  const path = route.path.replace(':appUid', appUid).replaceAll(/:\w+/g, unknownUid);
  const body = goodBodyOf(route);
  const headers = isOfKey ? callers.key : callers.superuser;
  const good = { path, headers, ...(body === undefined ? {} : { body }) };
  const refused = isOfKey ? refusedKeys(callers) : refusedSessions(route, callers);
  const lost = isOfKey ? path : route.path.replaceAll(/:\w+/g, unknownUid);
  return [
    ...Object.entries(refused).map(([what, bad]) => ({ ...good, what, headers: bad })),
    { ...good, what: 'with an unknown parameter', path: `${path}?nmae=1` },
    ...(route.body === null ? [] : [{ ...good, what: 'with an unknown field', body: { nmae: 1 } }]),
    ...(lost.includes(unknownUid) ? [{ ...good, what: 'of what is not there', path: lost }] : []),
  ];
}

const unknownUid = 'xxx_00000000000000000000000000';

function refusedKeys({ scopelessKey }: Callers): Record<string, Headers> {
  return { 'without a key': { 'x-api-key': null }, 'without the scope': scopelessKey };
}

function refusedSessions(
  { access, method }: Route,
  { superuser, viewer }: Callers,
): Record<string, Headers> {
  const needs = access.kind === 'admin' ? access.needs : null;
  const isForAll = needs === 'session' || needs === 'viewer';
  return {
    'without a session': {},
    ...(method === 'get'
      ? {}
      : { 'without the CSRF token': { ...superuser, 'x-csrf-token': null } }),
    ...(isForAll ? {} : { 'without the role': viewer }),
  };
}
