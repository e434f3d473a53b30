// A disabled application: its keys are refused, its tokens end, and its open deliveries are sent.
import { signUserToken } from '../../../lib/identity/user-token.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import type { Answer } from '../../support/api-client.ts';
import { startReceiver } from '../../support/receivers.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem } from '../api/problems.ts';
import { signIn, verify } from '../api/token-forge.ts';

let superuser: TestAdmin;
let client: TestApp;
let appUid: string;

const service = useService({ env: { HERALD_RETRY_SCHEDULE: '1s' } });

beforeAll(async () => {
  superuser = await makeTestAdmin(service);
});

beforeEach(async () => {
  client = await addApp(service, 'App');
  ({ appUid } = client);
});

const change = (body: unknown): Promise<Answer> =>
  superuser.call('PATCH', `/apps/${appUid}`, { body });

async function actions(): Promise<string[]> {
  const rows = await service.store.auditLog
    .find({ appUid, 'target.uid': appUid })
    .sort({ _id: 1 })
    .toArray();
  return rows.map((row) => row.action);
}

test('an owner disables and enables an application and its challenges, and each change leaves an audit row', async () => {
  expect((await change({ active: true })).body['active']).toBe(true);
  expect((await change({})).status).toBe(200);
  expect((await change({ active: false })).body).toMatchObject({ active: false, name: 'App' });
  const { disabledAt } = (await service.store.apps.findOne({ _id: appUid })) ?? {};
  expect((await change({ active: false })).body['active']).toBe(false);
  expect(await service.store.apps.findOne({ _id: appUid })).toMatchObject({ disabledAt });
  expect((await superuser.call('GET', `/apps/${appUid}`)).body['active']).toBe(false);
  const both = await change({ active: true, name: 'Back' });
  expect(both.body).toMatchObject({ active: true, name: 'Back', webhookChallenge: false });
  for (let n = 0; n < 2; n += 1) {
    expect((await change({ webhookChallenge: true })).body['webhookChallenge']).toBe(true);
  }
  const others = ['app.created', 'app.disabled', 'app.renamed', 'app.enabled'];
  expect(await actions()).toEqual([...others, 'app.challenge_changed']);
});

test('while an application is disabled, sign-ins and token checks are refused and the admin area works', async () => {
  const token = await signIn(client, { externalId: 'ada' });
  await change({ active: false });
  const body = { externalId: 'ada' };
  expectProblem(await client.call('POST', '/sdkusers/auth', { body }), 403, 'app_disabled');
  const verified = await client.call('POST', '/sdkusers/token/verify', {
    body: { authToken: token },
  });
  expectProblem(verified, 403, 'app_disabled');
  const key = { name: 'New', scopes: ['users:auth'] };
  const made = await superuser.call('POST', `/apps/${appUid}/keys`, { body: key });
  expect(made.status).toBe(201);
  const headers = { 'x-api-key': String(made.body['apiKey']) };
  const byNewKey = await client.call('POST', '/sdkusers/auth', { body, headers });
  expectProblem(byNewKey, 403, 'app_disabled');
});

test('tokens issued before the application was enabled again stay revoked, including those of sign-ins in flight', async () => {
  const token = await signIn(client, { externalId: 'ada' });
  const user = await service.store.users.findOne({ appUid, externalId: 'ada' });
  if (user === null) throw new Error('the user is not there');
  await change({ active: false });
  const { config, signingKeys, readTokenEpoch } = service.context;
  const epochs = await readTokenEpoch(user);
  const claims = { userUid: user._id, appUid, accountUids: [], ...epochs };
  const late = await signUserToken(await signingKeys.active(), claims, {
    issuer: config.http.publicUrl,
    now: new Date(),
    lifetimeMs: config.userTokenLifetimeMs,
  });
  await change({ active: true });
  for (const old of [token, late.authToken]) {
    expect(await verify(client, old)).toEqual({ active: false, reason: 'revoked' });
  }
  const again = await signIn(client, { externalId: 'ada' });
  expect(await verify(client, again)).toMatchObject({ active: true });
});

test('an event from before the application was disabled is delivered and retried to its end', async () => {
  let answers = 0;
  await using receiver = await startReceiver((response) => {
    answers += 1;
    response.writeHead(answers === 1 ? 500 : 200).end();
  });
  const hook = { url: receiver.url, entities: ['agent'] };
  const webhook = await client.call('POST', '/webhooks', { body: hook });
  const agent = { agentName: 'Agent', externalTenantId: 'tenant-1' };
  expect((await client.call('POST', '/agents', { body: agent })).status).toBe(201);
  await change({ active: false });
  const filter = { webhookUid: String(webhook.body['uid']), state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(filter)) === 1, {
    what: 'the delivery',
  });
  expect(receiver.requests).toHaveLength(2);
});
