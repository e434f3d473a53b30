// Who calls a fuzzed service: keys of all and of single scopes, admins with a session, and nobody.
import { createAdmin } from '../../lib/access/create-admin.ts';
import { createAppWithKey, createKey } from '../../lib/access/create-app-with-key.ts';
import { scopes } from '../../lib/model/api-key.ts';
import type { Store } from '../../lib/mongo/connect.ts';

export interface Caller {
  readonly name: string;
  /** Whether no call of the area is refused. */
  readonly mayAll: boolean;
  /** Of the calls that are made: the start of their paths. */
  readonly area: '/api/v1/' | '/admin/api/' | '/';
  readonly appUid: string;
  /** By the names of the contract's security schemes. */
  readonly credentials: Readonly<Record<string, string>>;
}

interface Service {
  readonly apiUrl: string;
  readonly appUid: string;
  readonly apiKey: string;
  readonly keyPepper: string;
}

/**
 * Returns the callers, the most powerful ones first. The admins have an application of their own, so that what they do
 * to its keys ends no other caller.
 */
export async function makeCallers(store: Store, service: Service): Promise<Caller[]> {
  const { appUid, apiKey, keyPepper } = service;
  const administered = await createAppWithKey(store, { name: 'Administered', keyPepper });
  const superuser = await makeAdmin(store, service, true);
  const viewer = await makeAdmin(store, service, false);
  await post(service, `/admin/api/apps/${administered.appUid}/members`, {
    headers: { cookie: superuser.cookie, 'x-csrf-token': superuser.csrfToken },
    body: { email: viewer.email, role: 'viewer' },
  });
  const ofKey = { area: '/api/v1/', appUid } as const;
  const ofAdmin = { area: '/admin/api/', appUid: administered.appUid } as const;
  const scoped = await Promise.all(
    scopes.map(async (scope) => {
      const key = await createKey(store, { appUid, name: scope, scopes: [scope], keyPepper });
      const credentials = { apiKey: key.apiKey };
      return { ...ofKey, name: `key with ${scope}`, mayAll: false, credentials };
    }),
  );
  return [
    { ...ofKey, name: 'key with all scopes', mayAll: true, credentials: { apiKey } },
    { ...ofAdmin, name: 'superuser', mayAll: true, credentials: sessionOf(superuser) },
    { area: '/', appUid, name: 'nobody', mayAll: false, credentials: {} },
    { ...ofAdmin, name: 'viewer', mayAll: false, credentials: sessionOf(viewer) },
    ...scoped,
  ];
}

interface SignedIn {
  readonly email: string;
  readonly cookie: string;
  readonly csrfToken: string;
}

function sessionOf({ cookie, csrfToken }: SignedIn): Record<string, string> {
  return { session: cookie.slice(cookie.indexOf('=') + 1), csrfToken };
}

async function makeAdmin(store: Store, service: Service, superuser: boolean): Promise<SignedIn> {
  const email = superuser ? 'superuser@example.com' : 'viewer@example.com';
  const password = 'correct horse battery staple';
  await createAdmin(store, { email, password, superuser });
  const answer = await post(service, '/admin/api/session', { body: { email, password } });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  return { email, cookie, csrfToken };
}

interface Posted {
  headers?: Record<string, string>;
  body: unknown;
}

async function post(
  { apiUrl }: Service,
  path: string,
  { headers = {}, body }: Posted,
): Promise<Response> {
  const answer = await fetch(apiUrl + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}
