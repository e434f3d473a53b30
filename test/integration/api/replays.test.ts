// The requests for a replay, and how it is shown; what it sends is in test/e2e/redelivery.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../lib/platform/ids.ts';
import { Long } from 'mongodb';
import type { Answer } from '../../support/api-client.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let webhookUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function replay(body: unknown): Promise<Answer> {
  return service.call('POST', `/webhooks/${webhookUid}/replays`, { body });
}

test.each([
  [{}, '#/since required'],
  [{ since: 'yesterday' }, '#/since time'],
  [{ since: '2026-11-21' }, '#/since time'],
  [{ since: '2026-02-28T25:00:00Z' }, '#/since time'],
  [{ since: '2026-02-30T00:00:00Z' }, '#/since time'],
  [{ since: '2026-02-29T00:00:00Z' }, '#/since time'],
  [{ since: '2100-02-29T00:00:00Z' }, '#/since time'],
  [{ since: '2026-04-31T00:00:00+02:00' }, '#/since time'],
  [{ since: '2999-01-01T00:00:00Z' }, '#/since range'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-02T00:00:00Z' }, '#/since range'],
  [{ since: '2026-01-02T00:00:00Z', states: ['waiting'] }, '#/states/0 enum'],
  [{ since: '2026-01-02T00:00:00Z', events: ['webhook.test'] }, '#/events/0 enum'],
  [{ since: '2026-01-02T00:00:00Z', perSecond: 0 }, '#/perSecond minimum'],
  [{ since: '2026-01-02T00:00:00Z', perSecond: 101 }, '#/perSecond maximum'],
])('a replay of %j is refused', async (body, fault) => {
  const answer = await replay(body);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test.each(['2024-02-29T00:00:00Z', '2000-02-29T23:59:59.999Z'])(
  'a replay from %s, a day of a leap year, is accepted',
  async (since) => {
    const answer = await replay({ since, until: '2024-03-01T00:00Z', dryRun: true });
    expect(answer.status).toBe(200);
  },
);

/** Writes `count` events of a tenant that no webhook got, and returns the body of a dry run over them. */
async function insertMissed(count: number, externalTenantId: string): Promise<unknown> {
  const at = new Date(Date.now() - 3_600_000);
  const { _id } = await insertEvent(service, [], at);
  // MongoDB copies them from another event: sending them would take far longer.
  const time = _id.slice(0, -16);
  const number = { $toString: { $add: [Long.fromNumber(1e15), '$number'] } };
  const fields = { _id: { $concat: [time, number] }, externalTenantId };
  await service.store.events
    .aggregate([
      { $match: { _id } },
      { $project: { event: '$$ROOT', number: { $range: [0, count] } } },
      { $unwind: '$number' },
      { $replaceWith: { $mergeObjects: ['$event', fields] } },
      { $merge: 'events' },
    ])
    .toArray();
  const range = { since: at.toISOString(), until: new Date(at.getTime() + 1).toISOString() };
  return { ...range, states: ['never_attempted'], dryRun: true };
}

test('a dry run counts up to 10,000 deliveries, and says if there are more', async () => {
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { externalTenantIds: ['many'] } });
  const wish = await insertMissed(10_000, 'many');
  const whole = { dryRun: true, count: 10_000, countIsCapped: false };
  expect((await replay(wish)).body).toEqual(whole);
  const [one] = await service.store.events.find({ externalTenantId: 'many' }).limit(1).toArray();
  if (one === undefined) throw new Error('there is no event');
  await service.store.events.insertOne({ ...one, _id: newId('evt', one.createdAt) });
  expect((await replay(wish)).body).toEqual({ ...whole, countIsCapped: true });
});

test('a dry run with few matches scans 100,000 events, and says that there may be more', async () => {
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { externalTenantIds: ['few'] } });
  const wish = await insertMissed(100_001, 'others');
  const counted = { dryRun: true, count: 0, countIsCapped: true };
  expect((await replay(wish)).body).toEqual(counted);
});

test('the replays of a deleted webhook are not found', async () => {
  const { _id } = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const body = { since: '2026-01-01T00:00:00Z' };
  const started = await service.call('POST', `/webhooks/${_id}/replays`, { body });
  const path = `/webhooks/${_id}/replays/${String(started.body['uid'])}`;
  expect((await service.call('GET', path)).body).toMatchObject({ reachedAt: null });
  await service.call('DELETE', `/webhooks/${_id}`);
  expectProblem(await service.call('GET', path), 404, 'not_found');
  expectProblem(await service.call('POST', `${path}/cancel`), 404, 'not_found');
  const stored = await service.store.jobs.findOne({ _id: String(started.body['uid']) });
  expect(stored?.state).toBe('running');
});
