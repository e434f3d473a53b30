// An erasure by `mentions` erases the payloads that have the text as a value in their `data`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderPayload } from '../../../lib/model/event-payload.ts';
import { eraseChunk, newErasure } from '../../../lib/jobs/erasures.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

/**
 * Records an event with the data, or with the data as a caller wrote it. Runs an erasure of the mention, and returns
 * whether the payload was erased.
 */
async function isErased(
  fields: Record<string, unknown>,
  mention: string,
  dataText?: string,
): Promise<boolean> {
  const { store, app } = installation;
  const at = new Date(Date.now() - 1_000);
  const event = newEvent(installation, [], at);
  const { _id: eventId, appUid, createdAt: timestamp } = event;
  const data = { uid: event.resourceUid, externalTenantId: 'tenant-1', ...fields };
  const payload = { eventId, event: 'agent.updated', timestamp, appUid, data, dataText } as const;
  const body = renderPayload(payload);
  await store.events.insertOne({ ...event, body });
  const subject = { mentions: ['nobody', mention] };
  const erasure = newErasure(app.appUid, subject, new Date());
  await store.jobs.insertOne(erasure);
  await eraseChunk({ store, ...noSignals }, erasure, { page: 1, now: new Date() });
  const left = await store.events.findOne({ _id: eventId });
  await store.events.deleteOne({ _id: eventId });
  expect([body, '']).toContain(left?.body);
  return left?.body === '';
}

test.each<[string, Record<string, unknown>]>([
  ['ada', { owner: 'ada' }],
  ['ada', { people: [{ names: [['x'], ['y', 'ada']] }] }],
  ['tenant-1', {}],
  ['data', { kind: 'data' }],
  ['', { owner: '' }],
  ['René', { owner: 'Ren\u00e9' }],
  ['a/b', { owner: 'a/b' }],
  ['"ada"\t\\\u0001\u2028 😀', { owner: '"ada"\t\\\u0001\u2028 😀' }],
  ['777', { id: '777' }],
  ['777', { id: 777 }],
  ['777', { id: 777, more: true }],
  ['777', { ids: [777] }],
  ['777', { ids: [1, 777, 2] }],
  ['-1.5', { id: -1.5 }],
  ['1e+21', { id: 1e21 }],
  ['9007199254740991', { id: Number.MAX_SAFE_INTEGER }],
])('the mention %j erases a payload with the data %j', async (mention, data) => {
  expect(await isErased(data, mention)).toBe(true);
});

test.each<[string, string]>([
  ['ada', String.raw`{"owner":"\u0061d\u0061"}`],
  ['a/b', String.raw`{"owner":"a\/b"}`],
  ['a\tb', String.raw`{"owner":"a\u0009b"}`],
  ['777', '{ "id" : 777 }'],
  ['777', '{"id":\n777\t}'],
  ['777', '{"id":777.0}'],
  ['777', '{"id":7.77e2}'],
  ['777', '{"id":77.7E+1,"more":1}'],
  ['777', '{"ids":[1 , 7770e-1 ]}'],
  ['1000', '{"id":1e3}'],
  ['0', '{"id":-0}'],
  ['0', '{"id":-0.0}'],
  ['1.5', '{"id":1.50}'],
  ['zo\u00eb', '{"owner":"zoe\u0308"}'],
  ['zoe\u0308', '{"owner":"zo\u00eb"}'],
  ['zo\u00eb', String.raw`{"owner":"zoe\u0308"}`],
])('the mention %j erases a payload whose owner wrote the data %s', async (mention, dataText) => {
  expect(await isErased({}, mention, dataText)).toBe(true);
});

test.each<[string, string]>([
  ['777', '{"id":777.5}'],
  ['777', '{"id":7.77e3}'],
  ['777', '{"note":"[ 777 ]"}'],
  ['ada', String.raw`{"owner":"\\u0061da"}`],
  ['1.50', '{"id":1.50}'],
  ['zoe', '{"owner":"zoe\u0308"}'],
])('the mention %j keeps a payload whose owner wrote the data %s', async (mention, dataText) => {
  expect(await isErased({}, mention, dataText)).toBe(false);
});

test.each<[string, string, Record<string, unknown>]>([
  ["a field's name", 'owner', { owner: 'ada' }],
  ["a nested field's name", 'name', { owner: [{ name: 'ada' }] }],
  ["a number as a field's name", '777', { 777: 'ada' }],
  ["the envelope's field", 'data', {}],
  ["the event's name", 'agent.updated', {}],
  ["the payload's version", '1', {}],
  ['the beginning of a value', 'ada', { owner: 'ada lovelace' }],
  ['the end of a value', 'ada', { owner: 'lovelace, ada' }],
  ['a value within a text', 'ada', { note: '{"owner":"ada"}' }],
  ['another case', 'Ada', { owner: 'ada' }],
  ['another accent', 'Rene', { owner: 'René' }],
  ['digits of a longer number', '777', { id: 7770, ids: [1777, 777.5, -777] }],
  ['a number within a text', '777', { note: '[1,777,2] :777}' }],
  ['another spelling of a number', '777.0', { id: 777 }],
  ['a boolean', 'true', { owner: true }],
  ['null', 'null', { owner: null }],
])(
  '%s does not match: the mention %j keeps a payload with the data %j',
  async (_what, mention, data) => {
    expect(await isErased(data, mention)).toBe(false);
  },
);

test("the application's uid, which is in every envelope, erases nothing as a mention", async () => {
  expect(await isErased({}, installation.app.appUid)).toBe(false);
});

test('a payload of 100,000 values, and one nested 2,000 deep, are searched completely', async () => {
  const many = Array.from({ length: 100_000 }, (_, n) => n % 10);
  let nested: unknown = 'ada';
  for (let depth = 0; depth < 2_000; depth += 1) nested = [nested];
  expect(await isErased({ many: [...many, 'ada'] }, 'ada')).toBe(true);
  expect(await isErased({ ada: many }, 'ada')).toBe(false);
  expect(await isErased({ nested }, 'ada')).toBe(true);
});
