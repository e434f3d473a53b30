// An application as its owner changes it: its origins; and disabled: its keys are refused, its tokens end, and its open
// deliveries are sent.
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

const originOf = (length: number, n = 0): string => `https://${`${n}`.padStart(length - 8, 'a')}`;
// Of 1,024 bytes, with the first.
const nineteen = Array.from({ length: 19 }, (_, n) => originOf(51, n));

test.each([
  [['https://app.example.com', 'https://xn--mnchen-3ya.example:8443']],
  [['http://localhost', 'http://127.0.0.1:5173', 'https://[::1]', 'https://10.0.0.1']],
  [[originOf(100)]],
  [[originOf(55), ...nineteen]],
])(
  'an owner sets the origins %j, and an audit row has them and the earlier ones',
  async (origins) => {
    for (let time = 0; time < 2; time += 1)
      expect((await change({ origins })).body).toMatchObject({
        origins,
        name: 'App',
        active: true,
      });
    expect((await change({ name: 'New' })).body).toMatchObject({ origins });
    expect((await change({ origins: null })).body).toMatchObject({ origins: null });
    const filter = { appUid, action: 'app.origins_changed' };
    const rows = await service.store.auditLog.find(filter).sort({ _id: 1 }).toArray();
    expect(rows.map(({ details }) => details)).toEqual([
      { origins, previousOrigins: null },
      { origins: null, previousOrigins: origins },
    ]);
  },
);

test.each([
  'http://app.example.com',
  'http://localhost.example.com',
  'http://127.0.0.2',
  'https://app.example.com/',
  'https://app.example.com:443',
  'https://app.example.com:65536',
  'https://App.example.com',
  'https://*.example.com',
  'https://münchen.example',
  'https://user@app.example.com',
  'https://app.example.com https://evil.example',
  'https://0x7f.1',
  'https://',
  'ftp://app.example.com',
  'chrome-extension://abc',
  'app.example.com',
  'null',
  '*',
  '',
])('%j is not an origin, and one sentence says what is', async (origin) => {
  const answer = await change({ origins: ['https://app.example.com', origin] });
  expectProblem(answer, 400, 'invalid_request');
  expect(answer.body['detail']).toBe(
    'origins.1 must be an origin such as https://app.example.com: lower case, no path, no default port, and http only for localhost and 127.0.0.1',
  );
});

test.each([
  [[], 'origins must have at least 1 item'],
  [[originOf(55), ...nineteen, originOf(10)], 'origins must have at most 20 items'],
  [[originOf(101)], 'origins.0 must have at most 100 characters'],
  [[originOf(56), ...nineteen], 'origins must have at most 1024 bytes in total (got 1025)'],
  [
    ['https://a.example', 'https://a.example'],
    'origins must not contain an item twice: items 2 and 1 are the same',
  ],
])('the origins %j are refused', async (origins, detail) => {
  const answer = await change({ origins });
  expectProblem(answer, 400, 'invalid_request');
  expect(answer.body['detail']).toBe(detail);
  expect(await actions()).toEqual(['app.created']);
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
  const named = { externalTenantId: null, apiKeyUid: 'key_1' };
  const claims = { userUid: user._id, appUid, accountUids: [], ...named, ...epochs };
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
