// Reported changes (POST …/changes): which are accepted, and the events they become.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../lib/limits.ts';
import { eventNames } from '../../../lib/model/event-name.ts';
import { startService, type TestService } from '../../support/service.ts';
import { eventsOf } from './resource-calls.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('there are nine events', () => {
  expect(eventNames).toHaveLength(9);
});

test.each(eventNames)(
  'a reported %s gets 202 and becomes one event with its unchanged data',
  async (event) => {
    const data = {
      uid: `theirs-${event}`,
      externalTenantId: 't',
      own: { list: [1, null, 'é😀'], empty: {} },
      appUid: 'their app',
    };
    const answer = await service.call('POST', '/changes', { body: { event, data } });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      event,
      resourceUid: data.uid,
    });
    const events = await eventsOf(service, data.uid);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ eventId: answer.body['eventId'], event, data });
    expect(JSON.stringify(events[0]?.data)).toBe(JSON.stringify(data));
    const read = await service.call('GET', `/events/${String(answer.body['eventId'])}`);
    expect(read.body).toMatchObject({
      event,
      resourceUid: data.uid,
      externalTenantId: 't',
      payload: events[0],
    });
  },
);

const data = { uid: 'u', externalTenantId: 't' };

test.each<[string, unknown, string]>([
  ['an unknown event', { event: 'agent.renamed', data }, '#/event enum'],
  ['an event of no resource', { event: 'user.created', data }, '#/event enum'],
  ['an event in capitals', { event: 'Agent.created', data }, '#/event enum'],
  ['no event', { data }, '#/event required'],
  ['no data', { event: 'agent.created' }, '#/data required'],
  ['data that is a list', { event: 'agent.created', data: [] }, '#/data type'],
  ['no uid', { event: 'agent.created', data: { externalTenantId: 't' } }, '#/data/uid required'],
  ['no tenant', { event: 'agent.created', data: { uid: 'u' } }, '#/data/externalTenantId required'],
  ['an empty uid', { event: 'agent.created', data: { ...data, uid: '' } }, '#/data/uid minLength'],
  [
    'a uid that is a number',
    { event: 'agent.created', data: { ...data, uid: 1 } },
    '#/data/uid type',
  ],
  [
    'a tenant of 201 characters',
    { event: 'agent.created', data: { ...data, externalTenantId: 'x'.repeat(201) } },
    '#/data/externalTenantId maxLength',
  ],
  [
    'a field next to data',
    { event: 'agent.created', data, appUid: 'x' },
    '#/appUid additionalProperties',
  ],
])('%s gets 400', async (_what, body, fault) => {
  const answer = await service.call('POST', '/changes', { body });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test('events are found by the longest uid that can be reported', async () => {
  const uid = 'x'.repeat(200);
  const body = { event: 'agent.created', data: { ...data, uid } };
  const { eventId } = (await service.call('POST', '/changes', { body })).body;
  const found = await service.call('GET', `/events?resourceUid=${uid}`);
  expect(itemsOf(found)).toMatchObject([{ eventId, resourceUid: uid }]);
  const longer = await service.call('GET', `/events?resourceUid=${uid}x`);
  expectProblem(longer, 400, 'invalid_request');
});

/** A reported change whose request body has exactly `bytes` bytes. */
function changeOf(bytes: number, uid: string): string {
  const make = (filler: string): string =>
    JSON.stringify({ event: 'agent.updated', data: { uid, externalTenantId: 't', filler } });
  return make('x'.repeat(bytes - make('').length));
}

test('a body within the limit whose payload is over it gets 413 and stores nothing', async () => {
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'too-large' };
  const keysBefore = await service.store.idempotencyKeys.countDocuments();
  const body = changeOf(limits.requestBytesMax, 'too-large');
  expectProblem(
    await service.call('POST', '/changes', { body, headers }),
    413,
    'payload_too_large',
  );
  expect(await eventsOf(service, 'too-large')).toEqual([]);
  expect(await service.store.idempotencyKeys.countDocuments()).toBe(keysBefore);
});

test('a report rejected for its payload leaves no gap in the sequence', async () => {
  const uid = 'no-gap';
  const refused = changeOf(limits.requestBytesMax, uid);
  expect((await service.call('POST', '/changes', { body: refused })).status).toBe(413);
  expect((await service.call('POST', '/changes', { body: changeOf(1_000, uid) })).status).toBe(202);
  const stored = await service.store.events.find({ resourceUid: uid }).toArray();
  expect(stored).toMatchObject([{ sequence: 1 }]);
});

test('a payload of exactly 256 KiB is accepted, and one a byte longer is rejected', async () => {
  const small = await service.call('POST', '/changes', { body: changeOf(1_000, 'measure') });
  const { payload } = (await service.call('GET', `/events/${String(small.body['eventId'])}`)).body;
  const envelope = Buffer.byteLength(JSON.stringify(payload)) - 1_000;
  // 28 bytes are reserved for the number.
  const exact = limits.payloadBytesMax - 28 - envelope;
  const taken = await service.call('POST', '/changes', { body: changeOf(exact, 'measure') });
  expect(taken.status).toBe(202);
  const refused = await service.call('POST', '/changes', { body: changeOf(exact + 1, 'measure') });
  expectProblem(refused, 413, 'payload_too_large');
});

test("an event goes to the application's webhooks that subscribe to its entity, including paused ones", async () => {
  const url = 'http://127.0.0.1:9/';
  const register = async (body: Record<string, unknown>): Promise<string> =>
    String((await service.call('POST', '/webhooks', { body: { url, ...body } })).body['uid']);
  const both = await register({ entities: ['context', 'contextfile'] });
  await register({ entities: ['agent', 'contextfile'] });
  const paused = await register({ entities: ['context'], active: false });
  const removed = await register({ entities: ['context'] });
  await service.call('DELETE', `/webhooks/${removed}`);
  const answer = await service.call('POST', '/changes', {
    body: { event: 'context.updated', data },
  });
  const event = await service.call('GET', `/events/${String(answer.body['eventId'])}`);
  expect((event.body['webhookUids'] as unknown as string[]).toSorted()).toEqual(
    [both, paused].toSorted(),
  );
});
