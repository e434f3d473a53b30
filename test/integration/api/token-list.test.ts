// The valid tokens of a user are listed, and each can be revoked, even if the list lacks it.
import { decodeJwt } from 'jose';
import { TokenRecorder } from '../../../lib/identity/token-recorder.ts';
import { raiseTokenEpochs } from '../../../lib/identity/token-epochs.ts';
import { processLimits } from '../../../lib/limits.ts';
import { tokenId } from '../../../lib/model/token.ts';
import { idAt, newId } from '../../../lib/platform/ids.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, itemsOf } from './problems.ts';
import { rowOf, signIn, verify } from './token-forge.ts';

const service = useService({ worker: false });

let client: TestApp;
let appUid: string;

beforeEach(async () => {
  client = await addApp(service);
  ({ appUid } = client);
});

/** The claims of a new token, once its row is written. */
async function newToken(externalId = 'ada') {
  const text = await signIn(client, { externalId });
  await rowOf(service, text);
  const { sub = '', jti = '', iat = 0, exp = 0, key } = decodeJwt(text);
  return { text, sub, jti, iat, exp, key: String(key) };
}

const revoke = (userUid: string, tokenUid: string) =>
  client.call('POST', `/sdkusers/${userUid}/tokens/${tokenUid}/revoke`);

async function listed(userUid: string, query = ''): Promise<unknown[]> {
  const answer = await client.call('GET', `/sdkusers/${userUid}/tokens${query}`);
  expect(answer.status).toBe(200);
  return itemsOf(answer).map(({ uid }) => uid);
}

const revokeTokensOfKey = (_id: string) =>
  service.store.apiKeys.updateOne({ _id }, { $set: { tokensRevokedAt: new Date() } });

const revoked = { active: false, reason: 'revoked' };

test('the list shows each valid token of the user in pages, newest first', async () => {
  const tokens = [await newToken(), await newToken(), await newToken()];
  const { sub, jti, iat, exp, key } = await newToken();
  await newToken('bob');
  const first = await client.call('GET', `/sdkusers/${sub}/tokens?limit=2`);
  expect(itemsOf(first)[0]).toEqual({
    uid: jti,
    apiKeyUid: key,
    externalTenantId: null,
    issuedAt: new Date(iat * 1_000).toISOString(),
    expiresAt: new Date(exp * 1_000).toISOString(),
  });
  const rest = await listed(sub, `?limit=2&cursor=${String(first.body['nextCursor'])}`);
  const all = [...itemsOf(first).map(({ uid }) => uid), ...rest];
  expect(all).toEqual([jti, ...tokens.map((token) => token.jti).toReversed()]);
});

test('a revoked token is refused and no longer listed, and the others of the user stay valid', async () => {
  const [one, other] = [await newToken(), await newToken()];
  expect((await revoke(one.sub, one.jti)).status).toBe(204);
  expect(await verify(client, one.text)).toEqual(revoked);
  expect(await verify(client, other.text)).toMatchObject({ active: true });
  expect(await listed(one.sub)).toEqual([other.jti]);
  expect((await revoke(one.sub, one.jti)).status).toBe(204);
  const made = { appUid, event: 'user.token_revoked' as const };
  expect(await service.store.events.countDocuments(made)).toBe(1);
  const rows = await service.store.auditLog
    .find({ appUid, action: 'user.token_revoked' })
    .toArray();
  expect(rows).toMatchObject([{ target: { uid: one.sub }, details: { tokenUid: one.jti } }]);
});

test.each(['before', 'after'])(
  'a token revoked %s its row is written stays revoked',
  async (when) => {
    const { text, sub, jti } = await newToken();
    const { tokens } = service.store;
    const _id = tokenId(sub, jti);
    const row = await rowOf(service, text);
    await tokens.deleteOne({ _id });
    const write = async () => {
      const recorder = new TokenRecorder(service.store, service.context.clock);
      recorder.record(row);
      recorder.record({ ...row, _id: tokenId(sub, newId('tok')) });
      await recorder.written();
    };
    if (when === 'after') await write();
    expect((await revoke(sub, jti)).status).toBe(204);
    expect(await verify(client, text)).toEqual(revoked);
    await write();
    expect(await verify(client, text)).toEqual(revoked);
    await eventually(async () => {
      expect(await listed(sub)).toHaveLength(when === 'after' ? 2 : 1);
    });
    expect((await tokens.findOne({ _id }))?.expiresAt.getTime()).toBeGreaterThan(Date.now());
  },
);

test.each<[string, (userUid: string, keyUid: string) => Promise<unknown>]>([
  ['those of the user', (uid) => client.call('POST', `/sdkusers/${uid}/tokens/revoke`)],
  ['all tokens', () => client.call('POST', '/sdkusers/tokens/revoke')],
  ['those of a restored backup', () => raiseTokenEpochs(service.store, new Date())],
  ['those of the key', (_uid, keyUid) => revokeTokensOfKey(keyUid)],
])('a token is not listed after %s are revoked', async (_what, end) => {
  const { sub, key } = await newToken();
  await end(sub, key);
  expect(await listed(sub)).toEqual([]);
});

const hour = 3_600_000;

test.each([
  ['malformed', () => 'tok_1'],
  ['of another kind', () => newId('usr')],
  ['of a query', () => '%7B%22%24ne%22%3Anull%7D'],
  ['over for certain', () => idAt('tok', new Date(Date.now() - hour - 1))],
])('a token whose ID is %s cannot be revoked', async (_what, tokenUid) => {
  const { sub, text } = await newToken();
  expectProblem(await revoke(sub, tokenUid()), 404, 'not_found');
  expect(await verify(client, text)).toMatchObject({ active: true });
  expect(await service.store.tokens.countDocuments({ appUid })).toBe(1);
});

test("a token cannot be revoked through another user's path or application, which may write its ID first", async () => {
  const [ada, bob] = [await newToken('ada'), await newToken('bob')];
  await revoke(bob.sub, ada.jti);
  const stranger = await addApp(service);
  const path = `/sdkusers/${ada.sub}/tokens`;
  expectProblem(await stranger.call('POST', `${path}/${ada.jti}/revoke`), 404, 'not_found');
  expectProblem(await stranger.call('GET', path), 404, 'not_found');
  expect(await verify(client, ada.text)).toMatchObject({ active: true });
  expect((await revoke(ada.sub, ada.jti)).status).toBe(204);
  expect(await verify(client, ada.text)).toEqual(revoked);
});

test('rows wait for their write up to a limit, of which one application has three quarters', async () => {
  const recorder = new TokenRecorder(service.store, service.context.clock);
  const expiresAt = new Date(Date.now() + hour);
  const { tokensWaitingMax } = processLimits;
  const record = (owner: string) =>
    recorder.record({
      _id: tokenId(`usr_${owner}`, newId('tok')),
      appUid: owner,
      apiKeyUid: 'key_1',
      externalTenantId: null,
      epoch: 0,
      issuedAt: new Date(),
      expiresAt,
    });
  for (let n = 0; n < tokensWaitingMax; n += 1) record(`greedy-${appUid}`);
  record(`other-${appUid}`);
  await recorder.written();
  const countOf = (owner: string) => service.store.tokens.countDocuments({ appUid: owner });
  await eventually(async () => {
    expect(await countOf(`greedy-${appUid}`)).toBe((tokensWaitingMax * 3) / 4);
    expect(await countOf(`other-${appUid}`)).toBe(1);
  });
});
