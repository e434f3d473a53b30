// Webhooks of the kind operations: their allowed fields, that they get only service events, and the events of
// revocations: what makes one, who gets it, and that it decides offline as the service does.
import { decodeJwt } from 'jose';
import type { EventDocument } from '../../../lib/model/event.ts';
import { operationsEventNames } from '../../../lib/model/event-name.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { payloadFaults } from '../../support/payload-schema.ts';
import { startService, type TestService } from '../../support/service.ts';
import { useReceiver } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';
import { rowOf, signIn, verify } from './token-forge.ts';

let service: TestService;
let mailServer: TestMailServer;
let superuser: TestAdmin;
/** An application of each test, for revocations. */
let client: TestApp;
let appUid: string;

// The response to `/gone` is 410.
const receiver = useReceiver((response, { path }) =>
  response.writeHead(path === '/gone' ? 410 : 200).end(),
);

beforeAll(async () => {
  mailServer = await startMailServer();
  const env = { HERALD_SMTP_URL: mailServer.url, HERALD_MAIL_FROM: 'herald@example.com' };
  service = await startService({ env });
  superuser = await makeTestAdmin(service);
});

beforeEach(async () => {
  client = await addApp(service, 'App');
  ({ appUid } = client);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mailServer?.[Symbol.asyncDispose]();
});

async function register(fields: Record<string, unknown>): Promise<Answer> {
  const body = { kind: 'operations', url: `${receiver.url}/told`, ...fields };
  return service.call('POST', '/webhooks', { body });
}

const change = (uid: unknown, body: object): Promise<Answer> =>
  service.call('PATCH', `/webhooks/${String(uid)}`, { body });

function eventsAt(path: string): string[] {
  const found = receiver.requests.filter((request) => request.path === path);
  return found.map(({ body }) => (JSON.parse(body.toString()) as { event: string }).event);
}

test('an operations webhook can name all of its events', async () => {
  const events = [...operationsEventNames];
  expect((await register({ events, active: false })).body).toMatchObject({ events });
});

const mailUrl = 'mailto:Ops@Example.com';

test('a failing webhook is reported by HTTPS and by mail, but not its changes, and not to itself', async () => {
  const [told, mailed] = [await register({}), await register({ url: mailUrl })];
  expect(told.body).toMatchObject({ kind: 'operations', entities: [], events: null });
  expect(mailed.body).toMatchObject({ url: 'mailto:Ops@example.com' });
  const gone = await registerWebhook(service, { url: `${receiver.url}/gone` });
  const eventId = await reportChange(service);
  await waitFor(() => eventsAt('/told').length === 2 && mailServer.mails.length === 2);
  const names = ['delivery.exhausted', 'webhook.deactivated'];
  expect(eventsAt('/told').toSorted()).toEqual(names);
  expect(eventsAt('/gone')).toEqual(['agent.updated']);
  const subjects = mailServer.mails.map(({ headers }) => String(headers['subject']));
  expect(subjects.toSorted()).toEqual(names.map((name) => `[agent-herald] ${name} ${gone.uid}`));
  const path = `/webhooks/${String(mailed.body['uid'])}/deliveries`;
  await waitFor(async () => {
    const { body } = await service.call('GET', path);
    const states = (body['data'] as unknown as { state: string }[]).map(({ state }) => state);
    return states.length === 2 && states.every((state) => state === 'delivered');
  });
  const webhookUids = [String(told.body['uid'])];
  const resend = await service.call('POST', `/events/${eventId}/resend`, { body: { webhookUids } });
  expectProblem(resend, 422, 'unknown_webhook_uids');
});

test('a test can be sent to an email address', async () => {
  const { body } = await register({ url: 'mailto:test@example.com', events: ['apikey.expiring'] });
  const tested = await service.call('POST', `/webhooks/${String(body['uid'])}/test`, { body: {} });
  expect(tested.status).toBe(202);
  const mail = await waitFor(() => mailServer.mails.find(({ to }) => to[0]?.startsWith('test')));
  expect(mail.headers['subject']).toBe(`[agent-herald] webhook.test ${String(body['uid'])}`);
  expect(mail.text).toContain('the requested test');
});

test.each([
  [{ entities: ['agent'] }, '#/entities'],
  [{ externalTenantIds: ['tenant-1'] }, '#/externalTenantIds'],
  [{ ordering: 'resource' }, '#/ordering'],
  [{ events: ['webhook.failing', 'agent.created'] }, '#/events/1'],
])('the kind operations rejects %j, on registration and in a change', async (fields, pointer) => {
  const refused = await register(fields);
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual([`${pointer} not_of_kind`]);
  const { body } = await register({});
  expect(faultsOf(await change(body['uid'], fields))).toEqual([`${pointer} not_of_kind`]);
});

test('the kind resources rejects service events and email addresses, and the kind cannot be changed', async () => {
  const { uid } = await registerWebhook(service, { url: receiver.url, active: false });
  const events = await change(uid, { events: ['webhook.failing'] });
  expect(faultsOf(events)).toEqual(['#/events/0 not_of_kind']);
  expectProblem(await change(uid, { url: mailUrl }), 422, 'invalid_webhook_url');
  expect(faultsOf(await change(uid, { kind: 'operations' }))).toEqual([
    '#/kind additionalProperties',
  ]);
  const { body } = await register({});
  const moved = await change(body['uid'], { url: mailUrl });
  expect(moved.body['url']).toBe('mailto:Ops@example.com');
});

test('the audit log has only the domain of an email address', async () => {
  const { body } = await register({ url: mailUrl });
  const row = await service.store.auditLog.findOne({ 'target.uid': String(body['uid']) });
  expect(row?.details).toEqual({ kind: 'operations', urlOrigin: 'mailto:@Example.com' });
});

interface Payload {
  event: string;
  data: { uid: string; epoch?: number; tokenUid?: string };
}

interface Claims {
  sub: string;
  jti: string;
  epoch: number;
  appEpoch: number;
  exp: number;
}

const claimsOf = (token: string): Claims => decodeJwt<Claims>(token);

const revocations = (): Promise<EventDocument[]> =>
  service.store.events
    .find({ appUid, event: /tokens?_revoked$/ })
    .sort({ _id: 1 })
    .toArray();

function payloadOf({ body }: { body: string | Buffer }): Payload {
  const payload = JSON.parse(body.toString()) as Payload;
  expect(payloadFaults(payload)).toEqual([]);
  return payload;
}

const switchApp = (active: boolean) =>
  superuser.call('PATCH', `/apps/${appUid}`, { body: { active } });

/** Refuses what a verifier refuses that has read these events, in any order. */
function isRefused(claims: Claims, events: readonly Payload[]): boolean {
  const { sub, jti, epoch, appEpoch } = claims;
  if (events.some(({ data }) => data.tokenUid === jti)) return true;
  const counts = new Map<string, number>();
  for (const { data } of events.toReversed()) {
    counts.set(data.uid, Math.max(data.epoch ?? 0, counts.get(data.uid) ?? 0));
  }
  return appEpoch < (counts.get(appUid) ?? 0) || epoch - appEpoch < (counts.get(sub) ?? 0);
}

interface Row {
  way: string;
  revoke: (userUid: string, tokenUid: string) => Promise<unknown>;
  event: string;
}

const ofUser = 'user.tokens_revoked';
const ofToken = 'user.token_revoked';
const ofApp = 'application.tokens_revoked';

test.each<Row>([
  {
    way: "revoking a user's tokens",
    revoke: (uid) => client.call('POST', `/sdkusers/${uid}/tokens/revoke`),
    event: ofUser,
  },
  {
    way: 'revoking one token',
    revoke: (uid, token) => client.call('POST', `/sdkusers/${uid}/tokens/${token}/revoke`),
    event: ofToken,
  },
  {
    way: 'deleting a user',
    revoke: (uid) => client.call('DELETE', `/sdkusers/${uid}`),
    event: ofUser,
  },
  {
    way: "revoking an application's tokens",
    revoke: () => client.call('POST', '/sdkusers/tokens/revoke'),
    event: ofApp,
  },
  { way: 'disabling an application', revoke: () => switchApp(false), event: ofApp },
])('$way makes one event with only uids, times and a count', async ({ revoke, event }) => {
  const identity = { userEmail: 'ada.lovelace@example.com', name: 'Ada Lovelace' };
  const token = await signIn(client, identity);
  const { sub, jti, exp } = claimsOf(token);
  await rowOf(service, token);
  await revoke(sub, jti);
  const [made, ...more] = await revocations();
  if (made === undefined) throw new Error('there is no event');
  expect(more).toEqual([]);
  const uid = event === ofApp ? appUid : sub;
  expect(made).toMatchObject({ event, entity: event.split('.')[0], resourceUid: uid });
  expect(made).toMatchObject({ externalTenantId: '', sequence: null, order: [] });
  const { data } = payloadOf(made);
  const expiresAt = new Date(exp * 1_000).toISOString();
  const which = event === ofToken ? { tokenUid: jti, expiresAt } : { epoch: 1 };
  expect(data).toEqual({ uid, revokedAt: made.createdAt.toISOString(), ...which });
  expect(made.body).not.toMatch(/ada|lovelace|example|u_[a-z2-7]/i);
  expect(isRefused(claimsOf(token), [payloadOf(made)])).toBe(true);
});

test('a call that revokes nothing makes no event', async () => {
  const { sub } = claimsOf(await signIn(client, { externalId: 'ada' }));
  await client.call('PATCH', `/sdkusers/${sub}`, { body: { name: 'Ada' } });
  await client.call('POST', '/sdkusers/usr_none/tokens/revoke');
  await client.call('DELETE', '/sdkusers/usr_none');
  await switchApp(true);
  await superuser.call('PATCH', `/apps/${appUid}`, { body: { name: 'Renamed' } });
  expect(await revocations()).toEqual([]);
  await client.call('DELETE', `/sdkusers/${sub}`);
  await client.call('DELETE', `/sdkusers/${sub}`);
  await client.call('POST', `/sdkusers/${sub}/tokens/revoke`);
  expect(await revocations()).toHaveLength(1);
});

test('the events and the claims decide like the service, for tokens just before and after each revocation', async () => {
  const people = ['ada', 'bob'];
  const tokens: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    for (const externalId of people) tokens.push(await signIn(client, { externalId }));
    const { sub, jti } = claimsOf(tokens.at(-1 - (round % 2)) ?? '');
    const paths = ['/tokens', `/${sub}/tokens`, `/${sub}/tokens/${jti}`];
    await client.call('POST', `/sdkusers${paths[round % 3]}/revoke`);
  }
  for (const externalId of people) tokens.push(await signIn(client, { externalId }));
  const events = (await revocations()).map(payloadOf);
  expect(events).toHaveLength(12);
  let active = 0;
  for (const token of tokens) {
    const verdict = await verify(client, token);
    expect(isRefused(claimsOf(token), events)).toBe(!verdict['active']);
    if (verdict['active'] === true) active += 1;
  }
  expect(active).toBeGreaterThanOrEqual(people.length);
});

test('only operations webhooks that name the event and whose filter it matches get it', async () => {
  const [ada, bob] = [
    claimsOf(await signIn(client, { externalId: 'ada' })).sub,
    claimsOf(await signIn(client, { externalId: 'bob' })).sub,
  ];
  const registerFor = (path: string, fields: object) =>
    registerWebhook(client, { url: receiver.url + path, ...fields });
  const operations = { kind: 'operations', entities: undefined, events: [ofUser, ofApp] };
  const both = await registerFor('/both', operations);
  const user = await registerFor('/user', { ...operations, events: [ofUser] });
  const ofAda = await registerFor('/ada', { ...operations, filter: { uid: ada } });
  const paused = await registerFor('/paused', { ...operations, active: false });
  await registerFor('/application', { ...operations, events: ['webhook.failing', ofApp] });
  await registerFor('/all', { ...operations, events: null });
  await registerFor('/ordered', { ordering: 'resource' });
  await registerFor('/resources', {});
  await client.call('POST', `/sdkusers/${bob}/tokens/revoke`);
  await client.call('POST', `/sdkusers/${ada}/tokens/revoke`);
  const got = (await revocations()).map(({ webhookUids }) => webhookUids);
  expect(got).toEqual([
    [both.uid, user.uid, paused.uid],
    [both.uid, user.uid, ofAda.uid, paused.uid],
  ]);
});

test('a disabled application still sends the event, like a change: early, without a sequence', async () => {
  const url = `${receiver.url}/disabled`;
  await registerWebhook(client, { url, kind: 'operations', entities: undefined, events: [ofApp] });
  await switchApp(false);
  const request = await waitFor(() => receiver.requests.find(({ path }) => path === '/disabled'));
  expect(payloadOf(request)).toMatchObject({ event: ofApp, data: { uid: appUid, epoch: 1 } });
  expect(request.headers).not.toHaveProperty('x-webhook-sequence');
  expect(payloadOf(request)).not.toHaveProperty('sequence');
  const [made] = await revocations();
  expect(made?.firstAttempt).not.toBeNull();
  await waitFor(async () => (await revocations())[0]?.dispatchedAt !== null);
});
