// A revocation on one api process takes effect on every other one immediately.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createKey } from '../../lib/access/create-app-with-key.ts';
import { makeTestAdmin } from '../support/admin-client.ts';
import { type Answer, type ApiClient, createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';

const open = new Disposal();
let service: Installation & ApiClient;
/** One client per process. Revocations go to the first. */
let clients: ApiClient[];

beforeAll(async () => {
  const installation = open.use(await createInstallation());
  const { env, app } = installation;
  const client = ({ port }: RoleProcess) => createApiClient(`http://127.0.0.1:${port}`, app);
  const start = async () => open.use(await startRole('api', env));
  const [first, second] = await Promise.all([start(), start()]);
  clients = [first, second].map(client);
  service = { ...installation, ...client(first) };
});

afterAll(() => open[Symbol.asyncDispose]());

const onBoth = (call: (client: ApiClient) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(clients.map(call));

async function signIn(externalId: string): Promise<string> {
  const { body } = await service.call('POST', '/sdkusers/auth', { body: { externalId } });
  return String(body['authToken']);
}

const isActive = (authToken: string) => async (client: ApiClient) =>
  client.call('POST', '/sdkusers/token/verify', { body: { authToken } });

/** Makes a call on both processes, before and after a revocation on one of them. */
async function beforeAndAfter(
  use: (client: ApiClient) => Promise<Answer>,
  revoke: () => Promise<Answer>,
): Promise<[Answer[], Answer[]]> {
  const before = await onBoth(use);
  expect((await revoke()).status).toBeLessThan(300);
  return [before, await onBoth(use)];
}

test('a revoked key is refused on both processes', async () => {
  const { keyPepper } = service.config;
  const { appUid } = service.app;
  const wanted = { appUid, name: 'Revoked soon', scopes: ['all'], keyPepper };
  const { apiKey } = await createKey(service.store, wanted);
  const admin = await makeTestAdmin(service, { superuser: true });
  const stored = await service.store.apiKeys.findOne({ appUid, name: 'Revoked soon' });
  const [before, after] = await beforeAndAfter(
    (client) => client.call('GET', '/webhooks', { headers: { 'x-api-key': apiKey } }),
    () => admin.call('POST', `/apps/${appUid}/keys/${stored?._id}/revoke`),
  );
  expect(before.map((answer) => answer.status)).toEqual([200, 200]);
  expect(after.map((answer) => answer.status)).toEqual([401, 401]);
});

test("a user's revoked tokens are inactive on both processes", async () => {
  const token = await signIn('ada');
  const user = await service.store.users.findOne({ externalId: 'ada' });
  const [before, after] = await beforeAndAfter(isActive(token), () =>
    service.call('POST', `/sdkusers/${user?._id}/tokens/revoke`),
  );
  expect(before.map((answer) => answer.body['active'])).toEqual([true, true]);
  expect(after.map((answer) => answer.body['active'])).toEqual([false, false]);
});

test("an application's revoked tokens are inactive on both processes", async () => {
  const token = await signIn('bob');
  const [before, after] = await beforeAndAfter(isActive(token), () =>
    service.call('POST', '/sdkusers/tokens/revoke'),
  );
  expect(before.map((answer) => answer.body['active'])).toEqual([true, true]);
  expect(after.map((answer) => answer.body['active'])).toEqual([false, false]);
});

test('a deleted user is not found and has no active token on both processes', async () => {
  const token = await signIn('carol');
  const user = await service.store.users.findOne({ externalId: 'carol' });
  const [before, after] = await beforeAndAfter(isActive(token), () =>
    service.call('DELETE', `/sdkusers/${user?._id}`),
  );
  expect(before.map((answer) => answer.body['active'])).toEqual([true, true]);
  expect(after.map((answer) => answer.body['active'])).toEqual([false, false]);
  const shown = await onBoth((client) => client.call('GET', `/sdkusers/${user?._id}`));
  expect(shown.map((answer) => answer.status)).toEqual([404, 404]);
});

test('a disabled application is refused on both processes until it is enabled again', async () => {
  const admin = await makeTestAdmin(service, { superuser: true });
  const turn = (active: boolean) => () =>
    admin.call('PATCH', `/apps/${service.app.appUid}`, { body: { active } });
  const signInAnew = (client: ApiClient): Promise<Answer> =>
    client.call('POST', '/sdkusers/auth', { body: { externalId: 'dora' } });
  const [before, after] = await beforeAndAfter(signInAnew, turn(false));
  expect(before.map((answer) => answer.status)).toEqual([200, 200]);
  expect(after.map((answer) => answer.body['code'])).toEqual(['app_disabled', 'app_disabled']);
  const [, again] = await beforeAndAfter(signInAnew, turn(true));
  expect(again.map((answer) => answer.status)).toEqual([200, 200]);
  const token = String(before[0]?.body['authToken']);
  const old = await onBoth(isActive(token));
  expect(old.map((answer) => answer.body['reason'])).toEqual(['revoked', 'revoked']);
});
