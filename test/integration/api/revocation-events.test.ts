// The events of revocations: what makes one, who gets it, and that it decides offline as the service does.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EventDocument } from '../../../lib/model/event.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import { payloadFaults } from '../../support/payload-schema.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';
import { signIn, verify } from './token-forge.ts';

let service: TestService;
let superuser: TestAdmin;
let receiver: Receiver;
let client: TestApp;
let appUid: string;

interface Payload {
  event: string;
  data: { uid: string; revokedAt: string; epoch: number };
}

interface Claims {
  sub: string;
  epoch: number;
  appEpoch: number;
}

beforeAll(async () => {
  service = await startService();
  superuser = await makeTestAdmin(service);
  receiver = await startReceiver((response) => response.writeHead(204).end());
});

beforeEach(async () => {
  client = await addApp(service, 'App');
  ({ appUid } = client);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const claimsOf = (token: string): Claims => decodeJwt<Claims>(token);

const revocations = (): Promise<EventDocument[]> =>
  service.store.events
    .find({ appUid, event: /\.tokens_revoked$/ })
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
function isRefused({ sub, epoch, appEpoch }: Claims, events: readonly Payload[]): boolean {
  const counts = new Map<string, number>();
  for (const { data } of events.toReversed()) {
    counts.set(data.uid, Math.max(data.epoch, counts.get(data.uid) ?? 0));
  }
  return appEpoch < (counts.get(appUid) ?? 0) || epoch - appEpoch < (counts.get(sub) ?? 0);
}

interface Row {
  way: string;
  revoke: (userUid: string) => Promise<unknown>;
  event: string;
}

const ofUser = 'user.tokens_revoked';
const ofApp = 'application.tokens_revoked';

test.each<Row>([
  {
    way: "revoking a user's tokens",
    revoke: (uid) => client.call('POST', `/sdkusers/${uid}/tokens/revoke`),
    event: ofUser,
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
])('$way makes one event with only a uid, a time and a count', async ({ revoke, event }) => {
  const identity = { userEmail: 'ada.lovelace@example.com', name: 'Ada Lovelace' };
  const token = await signIn(client, identity);
  const { sub } = claimsOf(token);
  await revoke(sub);
  const [made, ...more] = await revocations();
  if (made === undefined) throw new Error('there is no event');
  expect(more).toEqual([]);
  const uid = event === ofUser ? sub : appUid;
  expect(made).toMatchObject({ event, entity: event.split('.')[0], resourceUid: uid });
  expect(made).toMatchObject({ externalTenantId: '', sequence: null, order: [] });
  const { data } = payloadOf(made);
  expect(data).toEqual({ uid, revokedAt: made.createdAt.toISOString(), epoch: 1 });
  expect(made.body).not.toMatch(/ada|lovelace|example|u_[a-z2-7]/i);
  expect(isRefused(claimsOf(token), [payloadOf(made)])).toBe(true);
});

test('enabling an application revokes the tokens of sign-ins that were in flight when it was disabled', async () => {
  await switchApp(false);
  await switchApp(true);
  expect((await revocations()).map((event) => payloadOf(event).data.epoch)).toEqual([1, 2]);
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
    const { sub } = claimsOf(tokens.at(-1 - (round % 2)) ?? '');
    const path = round % 3 === 0 ? '' : `/${sub}`;
    await client.call('POST', `/sdkusers${path}/tokens/revoke`);
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
  const register = (path: string, fields: object) =>
    registerWebhook(client, { url: receiver.url + path, ...fields });
  const operations = { kind: 'operations', entities: undefined, events: [ofUser, ofApp] };
  const both = await register('/both', operations);
  const user = await register('/user', { ...operations, events: [ofUser] });
  const ofAda = await register('/ada', { ...operations, filter: { uid: ada } });
  const paused = await register('/paused', { ...operations, active: false });
  await register('/application', { ...operations, events: ['webhook.failing', ofApp] });
  await register('/all', { ...operations, events: null });
  await register('/ordered', { ordering: 'resource' });
  await register('/resources', {});
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
