// The client against the service: each of its methods once.
import {
  HeraldAdminClient,
  HeraldClient,
  NotSignedInError,
} from '../../../packages/client-ts/src/index.ts';
import { calls } from '../../../packages/client-ts/src/generated/calls.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

const called = new Set<string>();
const table = Object.values(calls).flatMap((methods) => Object.values(methods));
let service: TestService;
let client: HeraldClient;

beforeAll(async () => {
  service = await startService();
  client = clientWith(service.app.apiKey);
});
afterAll(() => service[Symbol.asyncDispose]());

function clientWith(apiKey: string): HeraldClient {
  const { appUid } = service.app;
  return new HeraldClient({ url: service.apiUrl, appUid, apiKey, fetch: noteCall, retries: 0 });
}

/** Records which call a request is, by its path. */
const noteCall: typeof fetch = (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const segments = pathname.split('/');
  // `/events/stream` also matches the path of one event.
  const call = table.findLast(({ method, path }) => {
    const wanted = path.split('/');
    const fits = (name: string, at: number) => name.startsWith('{') || name === segments[at];
    return method === init?.method && wanted.length === segments.length && wanted.every(fits);
  });
  called.add(call?.id ?? pathname);
  return fetch(input, init);
};

async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const externalTenantId = 'tenant-1';
const since = '2026-01-01T00:00:00Z';

test('users and accounts', async () => {
  const { users, accounts } = client;
  const { uid: accountUid } = await accounts.create({ name: 'Account' });
  const { userUid, authToken } = await users.signIn({
    externalId: 'user-1',
    accountUids: [],
    externalTenantId,
    expiresInSeconds: 60,
  });
  await accounts.addMember(accountUid, userUid);
  expect(await allOf(accounts.members(accountUid))).toMatchObject([{ uid: userUid }]);
  const origin = 'https://app.example.com';
  const verified = await users.verifyToken({ authToken, origin });
  expect(verified).toMatchObject({ active: true, userUid, externalTenantId });
  const tokenUid = verified.active ? verified.tokenUid : '';
  await eventually(async () =>
    expect(await allOf(users.tokens(userUid))).toMatchObject([{ uid: tokenUid, externalTenantId }]),
  );
  await users.revokeToken(userUid, tokenUid);
  expect(await allOf(users.tokens(userUid))).toEqual([]);
  await users.revokeTokens(userUid);
  await users.revokeAllTokens();
  expect(await users.verifyToken({ authToken })).toMatchObject({ active: false });
  expect(await users.change(userUid, { name: 'Ada' })).toMatchObject({ name: 'Ada' });
  expect(await users.get(userUid)).toMatchObject({ uid: userUid, name: 'Ada' });
  expect(await allOf(users.list({ externalId: 'user-1' }))).toHaveLength(1);
  await accounts.removeMember(accountUid, userUid);
  await users.delete(userUid);
  expect(await accounts.change(accountUid, { name: 'New' })).toMatchObject({ name: 'New' });
  expect(await accounts.get(accountUid)).toMatchObject({ name: 'New' });
  expect(await allOf(accounts.list())).toHaveLength(2);
  await accounts.delete(accountUid);
});

test('resources', async () => {
  const { agents, contexts, contextFiles, changes } = client;
  const create = (agentName: string) => agents.create({ agentName, externalTenantId });
  // Created before the others, because the stream starts with it.
  const agent = await create('a');
  const made = [agent, ...(await Promise.all(['b', 'c'].map(create)))];
  const agentUid = agent.uid;
  expect(await agents.change(agentUid, { live: true })).toMatchObject({ live: true });
  expect(await agents.get(agentUid)).toMatchObject({ agentName: 'a', live: true });
  const listed = await allOf(agents.list({ limit: 1 }));
  expect(new Set(listed.map(({ uid }) => uid))).toEqual(new Set(made.map(({ uid }) => uid)));
  const context = await contexts.create({ contextName: 'Manuals', externalTenantId });
  const file = { fileName: 'manual.pdf', contentType: 'application/pdf', sizeBytes: 1 };
  const { uid: fileUid } = await contextFiles.create(context.uid, file);
  await contextFiles.change(context.uid, fileUid, { processingStatus: 'ready' });
  expect((await contextFiles.get(context.uid, fileUid)).processingStatus).toBe('ready');
  expect(await allOf(contextFiles.list(context.uid))).toHaveLength(1);
  await contextFiles.delete(context.uid, fileUid);
  await contexts.change(context.uid, { contextName: 'Books' });
  expect((await contexts.get(context.uid)).contextName).toBe('Books');
  expect(await allOf(contexts.list())).toHaveLength(1);
  await contexts.delete(context.uid);
  await agents.delete(agentUid);
  for await (const { event } of client.events.stream({ entity: 'agent', since })) {
    expect(event).toMatchObject({ event: 'agent.created', resourceUid: agentUid });
    expect(event.payload).toMatchObject({ event: 'agent.created', data: { agentName: 'a' } });
    break;
  }
  const data = { uid: 'agent-9', externalTenantId, colour: 'red' };
  expect(await changes.report({ event: 'agent.updated', data })).toMatchObject({
    resourceUid: 'agent-9',
  });
});

test('webhooks, events and their deliveries', async () => {
  const { webhooks, events, deliveries, eventTypes, stats, settings, auditLog } = client;
  const url = 'http://127.0.0.1:9/';
  const { uid: webhookUid, secret } = await webhooks.create({ url, entities: ['agent'] });
  expect((await webhooks.rotateSecret(webhookUid)).secret).not.toBe(secret);
  await webhooks.promoteSecret(webhookUid);
  expect((await webhooks.publicKeys()).keys).toMatchObject([{ kty: 'OKP' }]);
  expect((await webhooks.get(webhookUid)).url).toBe(url);
  await webhooks.test(webhookUid, { event: 'agent.updated' });
  await eventually(async () =>
    expect(await allOf(webhooks.deliveries(webhookUid))).toHaveLength(1),
  );
  await webhooks.change(webhookUid, { active: false });
  expect(await allOf(webhooks.list())).toHaveLength(1);
  const [event] = await allOf(events.list({ limit: 100 }));
  const eventId = event?.eventId ?? '';
  expect(await events.get(eventId)).toMatchObject({ eventId, event: event?.event });
  expect(await events.resend(eventId, { webhookUids: [webhookUid] })).toMatchObject({ eventId });
  await eventually(async () => expect(await allOf(events.deliveries(eventId))).toHaveLength(1));
  const explained = await allOf(events.webhooks(eventId));
  expect(explained.map((one) => one.webhookUid)).toEqual([webhookUid]);
  await allOf(deliveries.list({ webhookUid }));
  const [sent] = await allOf(webhooks.deliveries(webhookUid));
  expect(await deliveries.get(sent?.eventId ?? '', webhookUid)).toMatchObject({ webhookUid });
  const skipped = await deliveries.skip(eventId, webhookUid);
  expect(skipped).toMatchObject({ state: 'cancelled', cancelReason: 'skipped' });
  expect(await webhooks.checkUrl({ url })).toMatchObject({ url });
  expect(await allOf(eventTypes.list())).toHaveLength(21);
  const statistics = await stats.deliveries({ interval: 'hour', webhookUid });
  expect(statistics.interval).toBe('hour');
  await stats.webhooks({ interval: 'hour' });
  const latest = await stats.outcomes({ webhookUids: webhookUid });
  expect(latest.webhooks.map((one) => one.webhookUid)).toEqual([webhookUid]);
  await stats.backlog();
  expect(await stats.failures()).toMatchObject({ moreCount: 0 });
  expect((await settings.get()).version).toEqual(expect.any(String));
  expect(await allOf(auditLog.list({ action: 'webhook.created' }))).toHaveLength(1);
});

test('recovery', async () => {
  const { webhooks, replays, webhookReplays, syncs, erasures } = client;
  const [webhook] = (await webhooks.list().page()).data;
  const uid = webhook?.uid ?? '';
  expect(await replays.create({ since, dryRun: true })).toMatchObject({ dryRun: true });
  const ofApp = await replays.create({ since });
  const appReplayUid = 'uid' in ofApp ? ofApp.uid : '';
  expect(await replays.get(appReplayUid)).toMatchObject({ uid: appReplayUid });
  expect(await replays.cancel(appReplayUid)).toMatchObject({ uid: appReplayUid });
  expect(await allOf(replays.list())).toHaveLength(1);
  const started = await webhookReplays.create(uid, { since });
  const replayUid = 'uid' in started ? started.uid : '';
  expect(await webhookReplays.get(uid, replayUid)).toMatchObject({ webhookUid: uid });
  await webhookReplays.cancel(uid, replayUid);
  await webhooks.recover(uid, { since, states: ['retrying', 'held'], dryRun: true });
  expect(await webhooks.sync(uid, { dryRun: true })).toMatchObject({ dryRun: true });
  const sync = await webhooks.sync(uid, {});
  const syncUid = 'uid' in sync ? sync.uid : '';
  expect(await syncs.get(syncUid)).toMatchObject({ webhookUid: uid, state: 'running' });
  expect(await syncs.cancel(syncUid)).toMatchObject({ state: 'cancelled' });
  expect(await allOf(syncs.list({ webhookUid: uid }))).toMatchObject([{ uid: syncUid }]);
  expect(await allOf(webhookReplays.list(uid))).toHaveLength(1);
  const erasure = await erasures.create({ externalTenantId: 'tenant-nobody' });
  const erasureUid = 'uid' in erasure ? erasure.uid : '';
  expect(await erasures.get(erasureUid)).toMatchObject({ uid: erasureUid });
  expect(await allOf(erasures.list())).toMatchObject([{ uid: erasureUid }]);
  await webhooks.delete(uid);
});

test('calls open to all; an unready service is not an error', async () => {
  const { service: open } = new HeraldClient({ url: service.apiUrl, fetch: noteCall });
  expect(await open.health()).toMatchObject({ status: 'ok' });
  expect(await open.readiness()).toMatchObject({ status: 'ready' });
  expect((await open.jwks()).keys).not.toHaveLength(0);
  expect(await open.webhookSources()).toEqual({ known: false, addresses: [] });
  service.context.draining = true;
  expect(await open.readiness()).toMatchObject({ status: 'stopping' });
  service.context.draining = false;
});

test('an admin can do the same from a page, with a session', async () => {
  const { email, password } = await makeTestAdmin(service, { superuser: true });
  let cookie = '';
  let csrfToken: string | null = null;
  // Handles cookies like a browser.
  const asBrowser: typeof fetch = async (input, init) => {
    const headers = { ...(init?.headers as Record<string, string>), cookie };
    const response = await fetch(input, { ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  const url = `${service.apiUrl}/`;
  const admin = new HeraldAdminClient({ url, csrfToken: () => csrfToken, fetch: asBrowser });
  await expect(admin.session.get()).rejects.toBeInstanceOf(NotSignedInError);
  ({ csrfToken } = await admin.session.signIn({ email, password }));
  expect((await admin.session.get()).admin).toMatchObject({ email, superuser: true });
  const { uid } = await admin.apps.create({ name: 'Of a page' });
  expect(await admin.apps.get(uid)).toMatchObject({ name: 'Of a page', role: 'owner' });
  const app = admin.app(uid);
  const { apiKey, uid: keyUid } = await app.apiKeys.create({ name: 'K', scopes: ['events:read'] });
  expect(await app.apiKeys.get(keyUid)).not.toHaveProperty('apiKey');
  expect(apiKey).toMatch(/^ahk_/);
  expect(await allOf(app.members.list())).toMatchObject([{ email, role: 'owner' }]);
  const hook = await app.webhooks.create({ url: 'http://127.0.0.1:9/', entities: ['agent'] });
  await app.webhooks.change(hook.uid, { active: false });
  expect(await allOf(app.webhooks.list())).toMatchObject([{ uid: hook.uid, active: false }]);
  const own = admin.app(service.app.appUid);
  for await (const { event } of own.events.stream({ since })) {
    expect(event.eventId).toMatch(/^evt_/);
    break;
  }
  expect(await allOf(admin.auditLog.list({ action: 'admin.signed_in' }))).toHaveLength(1);
  const [session] = await allOf(admin.sessions.list());
  expect(session).toMatchObject({ current: true });
  await admin.sessions.end(session?.uid ?? '');
  await expect(app.webhooks.list().page()).rejects.toBeInstanceOf(NotSignedInError);
});

test('each method was called', () => {
  expect(called).toEqual(new Set(table.map(({ id }) => id)));
});
