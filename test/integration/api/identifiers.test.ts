// Identifiers are compared exactly, so no two may look the same: they must not be blank, contain invisible characters,
// or be in another normal form of Unicode than NFC. A lookup by such a text is rejected instead of finding nothing.
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

const service = useService({ worker: false });

type Use = readonly [string, string, (text: string) => Promise<Answer>];

const post = (path: string, body: unknown) => service.call('POST', path, { body });
const hook = { url: 'http://127.0.0.1:9/', entities: ['agent'] };
const tenant = (externalTenantId: string) => ({ externalTenantId });
const report = (fields: object) =>
  post('/changes', {
    event: 'agent.updated',
    data: { uid: 'u', externalTenantId: 't', ...fields },
  });
const replay = async (fields: object) => {
  const { uid } = await registerWebhook(service, hook);
  const since = new Date(Date.now() - 60_000).toISOString();
  return post(`/webhooks/${uid}/replays`, { since, ...fields });
};
const find = (path: string, text: string) =>
  service.call('GET', `${path}=${encodeURIComponent(text)}`);

const uses: Use[] = [
  ['a sign-in', '#/externalId', (externalId) => post('/sdkusers/auth', { externalId })],
  [
    'an agent',
    '#/externalTenantId',
    (text) => post('/agents', { agentName: 'A', ...tenant(text) }),
  ],
  [
    'a context',
    '#/externalTenantId',
    (text) => post('/contexts', { contextName: 'C', ...tenant(text) }),
  ],
  ['the tenant of a report', '#/data/externalTenantId', (text) => report(tenant(text))],
  ['the uid of a report', '#/data/uid', (uid) => report({ uid })],
  [
    'a webhook',
    '#/externalTenantIds/0',
    (text) => post('/webhooks', { ...hook, externalTenantIds: [text] }),
  ],
  ['an erasure', '#/externalTenantId', (text) => post('/erasures', tenant(text))],
  ['a replay', '#/externalTenantId', (text) => replay(tenant(text))],
  ['the search for a user', 'externalId', (text) => find('/sdkusers?externalId', text)],
  ['the events of a tenant', 'externalTenantId', (text) => find('/events?externalTenantId', text)],
  ['the events of a resource', 'resourceUid', (text) => find('/events?resourceUid', text)],
  [
    'the deliveries of a tenant',
    'externalTenantId',
    (text) => find('/deliveries?externalTenantId', text),
  ],
];

const unclear = [
  ' ',
  '\u00a0\u2003\u3000',
  '\u200b',
  'a\u200bb',
  'a\ufeff',
  'a\ufe0f',
  '\u3164',
  '\u{e0061}a',
  'zoe\u0308',
  '\u212aay',
];

test.each(uses)(
  '%s rejects each text that could be mistaken for another',
  async (_what, pointer, use) => {
    for (const text of unclear) {
      const answer = await use(text);
      expectProblem(answer, 400, 'invalid_request');
      expect([text, faultsOf(answer)]).toEqual([text, [`${pointer} format`]]);
    }
  },
);

const clear = ['a', ' a ', 'zo\u00eb', '\uac00', '山田\u3000商店', '😀', 'ａ'];

test.each(uses)(
  '%s accepts unambiguous text, including surrounding spaces',
  async (_what, _pointer, use) => {
    for (const text of clear) {
      const { status } = await use(text);
      expect([text, status < 300]).toEqual([text, true]);
    }
  },
);

test('a webhook filter is rejected if it names an ambiguous identifier, but not for other fields', async () => {
  for (const path of ['uid', 'externalTenantId']) {
    for (const is of ['zoe\u0308', ['a', '\u200b']]) {
      const refused = await post('/webhooks', { ...hook, filter: { [path]: is } });
      expectProblem(refused, 400, 'invalid_request');
      expect(faultsOf(refused)).toEqual([`#/filter/${path} filter`]);
    }
  }
  for (const filter of [{ owner: 'zoe\u0308' }, { 'owner.uid': ' ' }, { uid: ['a', 'zo\u00eb'] }]) {
    expect((await post('/webhooks', { ...hook, filter })).status).toBe(201);
  }
});

test('a name, which identifies nothing, can have any form', async () => {
  for (const name of ['zoe\u0308', '👩\u200d💻', '❤\ufe0f']) {
    const answer = await post('/sdkusers/auth', { externalId: 'named', name });
    expect(answer.status).toBe(200);
    const agent = await post('/agents', { agentName: name, externalTenantId: 't' });
    expect(agent.body['agentName']).toBe(name);
  }
});

test('an existing user with an ambiguous ID gets an error, is listed, and can be deleted', async () => {
  const { body } = await post('/sdkusers/auth', { externalId: 'stored' });
  const uid = String(body['userUid']);
  await service.store.users.updateOne({ _id: uid }, { $set: { externalId: 'sto\u0308red' } });
  const refused = await post('/sdkusers/auth', { externalId: 'sto\u0308red' });
  expectProblem(refused, 400, 'invalid_request');
  expect(refused.body['detail']).toContain('in Unicode normal form NFC');
  const listed = itemsOf(await service.call('GET', '/sdkusers'));
  expect(listed.find((user) => user['uid'] === uid)).toMatchObject({ externalId: 'sto\u0308red' });
  expect((await service.call('DELETE', `/sdkusers/${uid}`)).status).toBe(204);
});
