// An application with much history, for looking at the pages of the console.
import { Disposal } from '../../lib/platform/disposal.ts';
import type { ApiClient, JsonBody } from './api-client.ts';
import type { TestAdmin } from './admin-client.ts';
import { startReceiver } from './receivers.ts';
import { waitFor } from './wait-for.ts';

const isPictured = (process.env['HERALD_PICTURES'] ?? '') !== '';
// With markup and a control character, but not in pictures for documents, whose readers would take it for a fault.
const hostileName = isPictured
  ? 'Data warehouse'
  : '<b onmouseover=alert(1)>Zoë\u202E & "Söhne"</b>';
const errorBody = isPictured ? '{"error":"no database"}' : '<h1>Oops</h1>\u001B[31m no database';

export interface LivelyApp extends AsyncDisposable {
  webhookUid: string;
  failingWebhookUid: string;
  eventId: string;
  replayUid: string;
  syncUid: string;
  userUid: string;
  accountUid: string;
}

interface Caller extends Pick<ApiClient, 'call'> {
  app: { appUid: string; accountUid: string };
}

/** Creates webhooks that work, fail and hold, with their deliveries, users, keys, a replay and an erasure. */
export async function enliven(service: Caller, superuser: TestAdmin): Promise<LivelyApp> {
  const open = new Disposal();
  const make = async (path: string, body: unknown): Promise<JsonBody> => {
    const answer = await service.call('POST', path, { body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const good = open.use(await startReceiver((answer) => answer.end('thanks')));
  const bad = open.use(await startReceiver((answer) => answer.writeHead(500).end(errorBody)));
  const entities = ['agent', 'context', 'contextfile'];
  const hook = (url: string, fields: object) => make('/webhooks', { url, entities, ...fields });
  const working = await hook(`${good.url}/hook`, { name: 'Billing', active: true });
  const failing = await hook(`${bad.url}/hook`, { name: 'Search index', active: true });
  const paused = await hook(`${good.url}/paused`, { name: hostileName, active: false });
  await makeChanges(make);
  const { userUid } = await make('/sdkusers/auth', {
    externalId: 'user-42',
    name: 'Ada Lovelace',
    userEmail: undefined,
    accountUids: [service.app.accountUid],
  });
  await keysAndMembers(service, superuser);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const sync = await make(`/webhooks/${String(working['uid'])}/sync`, {});
  const replay = await make(`/webhooks/${String(working['uid'])}/replays`, {
    since,
    states: ['delivered'],
  });
  await make('/erasures', { externalTenantId: 'tenant-nobody' });
  await settled(service, { failing: String(failing['uid']), paused: String(paused['uid']) });
  const events = await service.call('GET', '/events?entity=agent&limit=1');
  const [event] = events.body['data'] as unknown as JsonBody[];
  return {
    webhookUid: String(working['uid']),
    failingWebhookUid: String(failing['uid']),
    eventId: String(event?.['eventId']),
    replayUid: String(replay['uid']),
    syncUid: String(sync['uid']),
    userUid: String(userUid),
    accountUid: service.app.accountUid,
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function makeChanges(make: (path: string, body: unknown) => Promise<JsonBody>) {
  for (const externalTenantId of ['acme', 'globex', 'initech']) {
    await make('/agents', { agentName: `Support of ${externalTenantId}`, externalTenantId });
    const { uid } = await make('/contexts', { contextName: hostileName, externalTenantId });
    await make(`/contexts/${String(uid)}/files`, {
      fileName: 'prices.pdf',
      contentType: 'application/pdf',
      sizeBytes: 48_213,
    });
  }
}

async function keysAndMembers({ app }: Caller, superuser: TestAdmin): Promise<void> {
  const path = `/apps/${app.appUid}/keys`;
  const week = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const bodies = [
    { name: 'Backend', scopes: ['users:auth', 'resources:write', 'resources:read'] },
    { name: 'Reports', scopes: ['events:read'], expiresAt: week },
  ];
  for (const body of bodies) {
    const { status, text } = await superuser.call('POST', path, { body });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  }
}

async function settled(
  { call }: Caller,
  { failing, paused }: { failing: string; paused: string },
): Promise<void> {
  const count = async (query: string): Promise<number> => {
    const { body } = await call('GET', `/deliveries?limit=100&${query}`);
    return (body['data'] as unknown as JsonBody[]).length;
  };
  const isSettled = async (): Promise<boolean> =>
    (await count('state=delivered')) >= 9 &&
    (await count(`state=retrying&webhookUid=${failing}`)) >= 9 &&
    (await count(`state=held&webhookUid=${paused}`)) >= 9;
  await waitFor(isSettled, { what: 'every delivery in its state' });
}
