// The callers of a fuzzed service: a key with all scopes, an admin with a session, and an anonymous one.
import { createAdmin } from '../../lib/access/create-admin.ts';
import { createAppWithKey } from '../../lib/access/create-app-with-key.ts';
import type { Store } from '../../lib/mongo/connect.ts';

export interface Caller {
  readonly name: string;
  /** The prefix of the paths that it calls. */
  readonly area: '/api/v1/' | '/admin/api/' | '/';
  readonly appUid: string;
  /** By the name of the contract's security scheme. */
  readonly credentials: Readonly<Record<string, string>>;
}

interface Service {
  readonly apiUrl: string;
  readonly appUid: string;
  readonly apiKey: string;
  readonly keyPepper: string;
}

/** Returns the callers. The admin has a separate application, so that changes to its keys do not affect the others. */
export async function makeCallers(store: Store, service: Service): Promise<Caller[]> {
  const { appUid, apiKey, keyPepper } = service;
  const administered = await createAppWithKey(store, { name: 'Administered', keyPepper });
  return [
    { name: 'key with all scopes', area: '/api/v1/', appUid, credentials: { apiKey } },
    {
      name: 'superuser',
      area: '/admin/api/',
      appUid: administered.appUid,
      credentials: await signIn(store, service),
    },
    { name: 'nobody', area: '/', appUid, credentials: {} },
  ];
}

async function signIn(store: Store, { apiUrl }: Service): Promise<Record<string, string>> {
  const account = { email: 'superuser@example.com', password: 'correct horse battery staple' };
  await createAdmin(store, { ...account, superuser: true });
  const answer = await fetch(`${apiUrl}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!answer.ok) throw new Error(`the sign-in: ${answer.status} ${await answer.text()}`);
  const [cookie = ''] = answer.headers.getSetCookie();
  const session = /=([^;]*)/.exec(cookie)?.[1] ?? '';
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  return { session, csrfToken };
}
