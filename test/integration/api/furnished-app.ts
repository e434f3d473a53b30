// An application with one of everything, and the paths and bodies of the routes for it.
import { decodeJwt } from 'jose';
import type { Route } from '../../../api/route.ts';
import { noFields } from '../../../api/http/validate.ts';
import { scopes } from '../../../lib/model/api-key.ts';
import type { TestAdmin } from '../../support/admin-client.ts';
import { createApiClient } from '../../support/api-client.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import type { NewApp } from '../../../lib/access/create-app-with-key.ts';
import { itemsOf } from './problems.ts';

/** The parameters of the routes' paths by name. */
export type PathUids = Readonly<Record<string, string>>;

/** Creates one of everything in an application, and returns the uids. */
export async function furnishApp(apiUrl: string, app: NewApp): Promise<PathUids> {
  const client = createApiClient(apiUrl, app);
  const make = async (path: string, body: unknown): Promise<string> => {
    const answer = await client.call('POST', path, { body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return String(answer.body['uid']);
  };
  const externalTenantId = 'tenant-1';
  const { accountUid } = app;
  const signIn = { externalId: 'user-1', accountUids: [accountUid] };
  const { body: signedIn } = await client.call('POST', '/sdkusers/auth', { body: signIn });
  const userUid = String(signedIn['userUid']);
  const tokenUid = String(decodeJwt(String(signedIn['authToken'])).jti);
  // Paused, so that nothing is sent to it.
  const hook = { url: 'http://127.0.0.1:9/', entities: ['agent'], active: false };
  const webhookUid = await make('/webhooks', hook);
  const agentUid = await make('/agents', { agentName: `Agent of ${app.appUid}`, externalTenantId });
  const contextUid = await make('/contexts', { contextName: 'C', externalTenantId });
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const fileUid = await make(`/contexts/${contextUid}/files`, file);
  const [event] = itemsOf(await client.call('GET', '/events?entity=agent&limit=1'));
  const replay = { since: '2026-01-01T00:00:00Z' };
  const replayUid = await make(`/webhooks/${webhookUid}/replays`, replay);
  const syncUid = await make(`/webhooks/${webhookUid}/sync`, {});
  const erasureUid = await make('/erasures', { externalTenantId: 'tenant-nobody' });
  const eventId = String(event?.['eventId']);
  const resources = { agentUid, contextUid, fileUid };
  const ofWebhooks = { webhookUid, eventId, replayUid, syncUid, erasureUid };
  return { appUid: app.appUid, accountUid, userUid, tokenUid, ...resources, ...ofWebhooks };
}

/** The same for the admin area. `owner` owns the application. */
export async function furnishAdminArea(
  { appUid, accountUid }: NewApp,
  owner: TestAdmin,
): Promise<PathUids> {
  const body = { name: 'Key', scopes: [scopes[0]] };
  const key = await owner.call('POST', `/apps/${appUid}/keys`, { body });
  const [session] = itemsOf(await owner.call('GET', '/sessions'));
  const ofAdmin = { adminUid: owner.admin._id, sessionUid: String(session?.['uid']) };
  return { appUid, accountUid, keyUid: String(key.body['uid']), ...ofAdmin };
}

/** Returns a route's path with its uids filled in. Throws for a parameter without a uid. */
export function fillPath({ path }: Pick<Route, 'path'>, uids: PathUids): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const uid = uids[name];
    if (uid === undefined) throw new Error(`the tests have no ${name} for ${path}`);
    return uid;
  });
}

/** Returns a route's name, such as `POST /api/v1/appuid/:appUid/agents`. */
export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}

const changeOfAgent = {
  event: 'agent.updated',
  data: { uid: 'agent-1', externalTenantId: 'tenant-1' },
};
/** Shortens the name of a route to one that is the same for API keys, admins and aliases: `POST …/agents`. */
export function shortNameOf(route: Pick<Route, 'method' | 'path'>): string {
  return nameOf(route)
    .replace(/ \/(?:api\/v1\/appuid|admin\/api\/apps)\/:appUid\//, ' …/')
    .replace(' /admin/api/', ' ')
    .replace('/uid/:', '/:');
}

/** A body that each route accepts, by its short name. */
const goodBodies: Readonly<Record<string, unknown>> = {
  'POST …/sdkusers/auth': { externalId: 'user-1', name: 'Ada', accountUids: [] },
  'POST …/sdkusers/token/verify': { authToken: 'x', agentUid: 'agt_1' },
  'PATCH …/sdkusers/:userUid': { name: 'Ada' },
  'POST …/accounts': { name: 'Account' },
  'PATCH …/accounts/:accountUid': { name: 'Account' },
  'POST …/webhooks': { url: 'http://127.0.0.1:9/', entities: ['agent'] },
  'POST …/webhooks/check-url': { url: 'http://127.0.0.1:9/' },
  'PATCH …/webhooks/:webhookUid': { url: 'http://127.0.0.1:9/changed' },
  'POST …/webhooks/:webhookUid/secret/rotate': { overlapSeconds: 60 },
  'POST …/webhooks/:webhookUid/replays': { since: '2026-01-01T00:00:00Z' },
  'POST …/webhooks/:webhookUid/test': {},
  'POST …/webhooks/:webhookUid/sync': {},
  'POST …/webhooks/:webhookUid/recover': { since: '2026-01-01T00:00:00Z' },
  'POST …/replays': { since: '2026-01-01T00:00:00Z' },
  'POST …/agents': { agentName: 'Agent', externalTenantId: 'tenant-1' },
  'PATCH …/agents/:agentUid': { agentName: 'Agent' },
  'POST …/contexts': { contextName: 'Context', externalTenantId: 'tenant-1' },
  'PATCH …/contexts/:contextUid': { contextName: 'Context' },
  'POST …/contexts/:contextUid/files': {
    fileName: 'file',
    contentType: 'text/plain',
    sizeBytes: 1,
  },
  'PATCH …/contexts/:contextUid/files/:fileUid': { fileName: 'file' },
  'POST …/changes': changeOfAgent,
  'POST …/events/:eventId/resend': {},
  'POST …/erasures': { externalTenantId: 'tenant-1' },
  'POST session': { email: 'ada@example.com', password: 'correct horse battery' },
  'POST password': { currentPassword: 'correct horse', newPassword: 'battery staple' },
  'POST apps': { name: 'App' },
  'PATCH apps/:appUid': { name: 'App' },
  'POST …/keys': { name: 'Key', scopes: ['events:read'] },
  'POST …/keys/:keyUid/revoke': {},
  'POST …/keys/:keyUid/roll': { overlapSeconds: 60 },
  'POST …/members': { email: 'ada@example.com', role: 'viewer' },
  'PATCH …/members/:adminUid': { role: 'viewer' },
};

/** Returns a body that a route accepts, or undefined if it takes none. Throws for a route without an example. */
export function goodBodyOf(route: Route): unknown {
  if (route.body === null || route.body === noFields) return undefined;
  const name = shortNameOf(route);
  const body = goodBodies[name];
  if (body === undefined) throw new Error(`the tests have no body for ${name}`);
  return structuredClone(body);
}

/** Fields that change independently of the calls: the use of a key, the start of a workflow. */
const recordedAside = { lastUsedAt: 0, workflowId: 0, dispatchedAt: 0, startedAt: 0 } as const;

/** Reads all data of an application, except the fields that change independently. */
export async function readEverythingOf(
  { db }: Store,
  appUid: string,
): Promise<Record<string, unknown[]>> {
  const collections = await db.collections();
  const found = await Promise.all(
    collections.map(async (collection): Promise<[string, unknown[]]> => {
      // Sign-ins do not wait for the rows of their tokens.
      const isToken = collection.collectionName === 'tokens';
      const owned = { appUid, ...(isToken ? { revokedAt: { $exists: true } } : {}) };
      const rows = collection.find(owned, { projection: recordedAside, sort: { _id: 1 } });
      return [collection.collectionName, await rows.toArray()];
    }),
  );
  return Object.fromEntries(found);
}
