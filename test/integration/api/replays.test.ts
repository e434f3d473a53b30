// The requests for a replay, and its representation. Its deliveries are tested in test/e2e/redelivery.test.ts.
import { cancelReasons, type CancelReason } from '../../../lib/model/cancel-reason.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { Long } from 'mongodb';
import { addApp } from '../../support/add-app.ts';
import type { Answer } from '../../support/api-client.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { eventIdsOf, takeAllPages } from '../../support/jobs.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

let webhookUid: string;

const service = useService({ worker: false });

beforeAll(async () => {
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

async function replay(body: unknown): Promise<Answer> {
  return service.call('POST', `/webhooks/${webhookUid}/replays`, { body });
}

const since = '2026-01-01T00:00:00Z';
const counts = { count: 0, countIsCapped: false };
const nothing = { dryRun: true, ...counts, states: [], nextAttemptAt: null, webhooks: [] };

test.each([
  ['replays', { since: 'yesterday' }, '#/since time'],
  ['replays', { since: '2026-02-30T00:00:00Z' }, '#/since time'],
  ['replays', { since: '2999-01-01T00:00:00Z' }, '#/since range'],
  ['replays', { since, until: since }, '#/since range'],
  ['replays', { since, states: ['waiting'] }, '#/states/0 enum'],
  ['replays', { since, cancelReasons: ['erased'] }, '#/cancelReasons/0 enum'],
  ['replays', { since, events: ['webhook.test'] }, '#/events/0 enum'],
  ['recover', { since, states: ['delivered'] }, '#/states/0 enum'],
  ['of all', {}, '#/since required'],
  ['of all', { since, states: ['never_attempted'] }, '#/states/0 enum'],
  ['of all', { since, states: ['delivered'] }, '#/states/0 enum'],
  ['of all', { since, webhookUids: [] }, '#/webhookUids minItems'],
])('a replay (%s) of %j is rejected', async (call, body, fault) => {
  const path = call === 'of all' ? '/replays' : `/webhooks/${webhookUid}/${call}`;
  const answer = await service.call('POST', path, { body });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test('a replay of the application to an unknown webhook is rejected', async () => {
  const body = { since, webhookUids: ['whk_elsewhere'] };
  const answer = await service.call('POST', '/replays', { body });
  expectProblem(answer, 422, 'unknown_webhook_uids');
  expect(faultsOf(answer)).toEqual(['#/webhookUids/0 unknown_webhook']);
});

/** Writes `count` events of a tenant that no webhook got, and returns the body of a dry run over them. */
const copiedAtOnceMax = 20_000;

async function insertMissed(count: number, externalTenantId: string): Promise<unknown> {
  const at = new Date(Date.now() - 3_600_000);
  const { _id } = await insertEvent(service, [], at);
  // MongoDB copies them from another event, because sending them would take far longer.
  const time = _id.slice(0, -16);
  const number = { $toString: { $add: [Long.fromNumber(1e15), '$number'] } };
  const fields = { _id: { $concat: [time, number] }, externalTenantId };
  // In parts, each well within the driver's timeout for a command.
  for (let from = 0; from < count; from += copiedAtOnceMax) {
    const numbers = { $range: [from, Math.min(count, from + copiedAtOnceMax)] };
    await service.store.events
      .aggregate([
        { $match: { _id } },
        { $project: { event: '$$ROOT', number: numbers } },
        { $unwind: '$number' },
        { $replaceWith: { $mergeObjects: ['$event', fields] } },
        { $merge: { into: 'events', whenMatched: 'fail' } },
      ])
      .toArray();
  }
  const range = { since: at.toISOString(), until: new Date(at.getTime() + 1).toISOString() };
  return { ...range, states: ['never_attempted'], dryRun: true };
}

test('a dry run counts up to 10,000 deliveries, and reports if there are more', async () => {
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { externalTenantIds: ['many'] } });
  const wish = await insertMissed(10_000, 'many');
  const webhooks = [{ webhookUid, count: 10_000 }];
  const states = [{ state: 'never_attempted', cancelReason: null, count: 10_000 }];
  const whole = { ...nothing, count: 10_000, states, webhooks };
  expect((await replay(wish)).body).toEqual(whole);
  const [one] = await service.store.events.find({ externalTenantId: 'many' }).limit(1).toArray();
  if (one === undefined) throw new Error('there is no event');
  await service.store.events.insertOne({ ...one, _id: newId('evt', one.createdAt) });
  expect((await replay(wish)).body).toEqual({ ...whole, countIsCapped: true });
});

test('a dry run with few matches scans 100,000 events, and reports that there may be more', async () => {
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { externalTenantIds: ['few'] } });
  const wish = await insertMissed(100_001, 'others');
  expect((await replay(wish)).body).toEqual({ ...nothing, countIsCapped: true });
});

/** Writes an exhausted delivery to each of two new webhooks of another application. */
async function failTwice() {
  const app = await addApp(service);
  const owner = { ...service, app };
  const url = 'http://127.0.0.1:1/';
  const active = await insertWebhook(owner, { url });
  const paused = await insertWebhook(owner, { url, active: false });
  const webhookUids = [active._id, paused._id];
  for (const uid of webhookUids) {
    const event = await insertEvent(owner, [uid], new Date(Date.now() - 60_000));
    const fields = { eventId: event._id, webhookUid: uid, state: 'exhausted' } as const;
    await service.store.deliveries.insertOne(newDelivery(owner, new Date(), fields));
  }
  return { app, webhookUids };
}

test('a dry run after a discard counts what a replay would send now', async () => {
  const { app, webhookUids } = await failTwice();
  const discarded = { $set: { discardCount: 1, discardBefore: new Date() } };
  await service.store.webhooks.updateMany({ _id: { $in: webhookUids } }, discarded);
  const counted = await app.call('POST', '/replays', { body: { since, dryRun: true } });
  expect(counted.body).toMatchObject({ count: 2 });
});

test('a replay of the application names its webhooks, the paused ones, and how much each would get', async () => {
  const { app, webhookUids } = await failTwice();
  const [active, paused] = webhookUids;
  const counted = await app.call('POST', '/replays', { body: { since, dryRun: true } });
  const webhooks = webhookUids.map((uid) => ({ webhookUid: uid, count: 1 }));
  const states = [{ state: 'exhausted', cancelReason: null, count: 2 }];
  expect(counted.body).toEqual({ ...nothing, count: 2, states, webhooks });
  const named = { since, webhookUids: [active], dryRun: true };
  expect((await app.call('POST', '/replays', { body: named })).body).toMatchObject({ count: 1 });

  const started = await app.call('POST', '/replays', { body: { since } });
  expect(started.status).toBe(202);
  const uid = String(started.body['uid']);
  expect(started.body).toMatchObject({
    webhookUid: null,
    webhookCount: 2,
    webhooksDone: 0,
    webhooks: [],
    states: ['exhausted', 'blocked', 'cancelled'],
    cancelReasons: ['expired', 'abandoned'],
    pausedWebhookUids: [paused],
  });
  const path = `/api/v1/appuid/${app.appUid}/replays/${uid}`;
  expect(started.headers.get('location')).toBe(path);
  expect((await service.call('GET', `/replays/${uid}`)).status).toBe(404);
  // The webhook's own routes show only its own replays.
  const own = await app.call('GET', `/webhooks/${active}/replays/${uid}`);
  expectProblem(own, 404, 'not_found');
  const cancelled = await app.call('POST', `/replays/${uid}/cancel`);
  expect(cancelled.body).toMatchObject({ uid, state: 'cancelled' });
});

test('a recovery is listed among the replays of its webhook and of the application', async () => {
  const { app, webhookUids } = await failTwice();
  const [, paused] = webhookUids;
  const { body } = await app.call('POST', `/webhooks/${paused}/recover`, { body: { since } });
  expect(body).toMatchObject({
    webhookUid: paused,
    states: ['exhausted', 'blocked', 'cancelled'],
    cancelReasons: ['expired', 'abandoned'],
    pausedWebhookUids: [paused],
  });
  const { pausedWebhookUids: _, ...shown } = body as Record<string, unknown>;
  const { body: replay } = await app.call('POST', '/replays', { body: { since } });
  const uidsOf = (answer: Answer): unknown[] => itemsOf(answer).map(({ uid }) => uid);
  expect(uidsOf(await app.call('GET', '/replays'))).toEqual([replay['uid'], shown['uid']]);
  const ofWebhook = await app.call('GET', `/webhooks/${paused}/replays`);
  expect(uidsOf(ofWebhook)).toEqual([shown['uid']]);
  const path = `/replays/${String(shown['uid'])}`;
  expect((await app.call('GET', path)).body).toMatchObject(shown);
});

test('the replays of a deleted webhook are not found', async () => {
  const { _id } = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const started = await service.call('POST', `/webhooks/${_id}/replays`, { body: { since } });
  const path = `/webhooks/${_id}/replays/${String(started.body['uid'])}`;
  expect((await service.call('GET', path)).body).toMatchObject({ reachedAt: null });
  await service.call('DELETE', `/webhooks/${_id}`);
  expectProblem(await service.call('GET', path), 404, 'not_found');
  expectProblem(await service.call('POST', `${path}/cancel`), 404, 'not_found');
  const stored = await service.store.jobs.findOne({ _id: String(started.body['uid']) });
  expect(stored?.state).toBe('running');
});

/** Writes an ended delivery of each kind to a webhook of a new application. Returns their events by kind. */
async function endInEachWay() {
  const app = await addApp(service);
  const owner = { ...service, app };
  const webhook = await insertWebhook(owner, { url: 'http://127.0.0.1:1/' });
  const eventIds = new Map<string, string>();
  const add = async (kind: string, fields: Partial<DeliveryDocument>): Promise<void> => {
    const event = await insertEvent(owner, [webhook._id], new Date(Date.now() - 60_000));
    const key = { eventId: event._id, webhookUid: webhook._id };
    await service.store.deliveries.insertOne(newDelivery(owner, new Date(), { ...key, ...fields }));
    eventIds.set(kind, event._id);
  };
  for (const state of ['delivered', 'exhausted', 'blocked'] as const) await add(state, { state });
  for (const cancelReason of cancelReasons)
    await add(cancelReason, { state: 'cancelled', cancelReason });
  return { app, webhookUid: webhook._id, eventIds };
}

/** Returns the kinds of deliveries that a request counts, and those that it sends. */
async function kindsSentBy(pathOf: (uid: string) => string, fields: unknown) {
  const { app, webhookUid: uid, eventIds } = await endInEachWay();
  const body = { since, ...(fields as object) };
  const counted = await app.call('POST', pathOf(uid), { body: { ...body, dryRun: true } });
  const { body: started } = await app.call('POST', pathOf(uid), { body });
  const { store, config, context } = service;
  const ports = { store, clock: context.clock, ...noSignals, ...config };
  const pages = await takeAllPages(ports, String(started['uid']));
  const sent = pages.flatMap(eventIdsOf);
  const kinds = [...eventIds].flatMap(([kind, eventId]) => (sent.includes(eventId) ? [kind] : []));
  return { count: counted.body['count'], kinds };
}

const callsForReplays: [string, (uid: string) => string][] = [
  ['a replay to a webhook', (uid) => `/webhooks/${uid}/replays`],
  ['a replay of the application', () => '/replays'],
];

test.each([
  ...callsForReplays,
  ['a recovery', (uid: string) => `/webhooks/${uid}/recover`] as const,
])(
  '%s by default counts and sends failed and lost deliveries, not those cancelled on purpose',
  async (...row) => {
    const [, pathOf] = row;
    const kinds = ['exhausted', 'blocked', 'expired', 'abandoned'];
    expect(await kindsSentBy(pathOf, {})).toEqual({ count: 4, kinds });
  },
);

test.each(callsForReplays)(
  '%s counts and sends deliveries cancelled on purpose if the request names them',
  async (_what, pathOf) => {
    const named: CancelReason[] = ['discarded', 'unsubscribed'];
    const fields = { states: ['cancelled'], cancelReasons: named };
    expect(await kindsSentBy(pathOf, fields)).toEqual({ count: 2, kinds: named });
    // The state alone does not name them.
    const lost = { count: 2, kinds: ['expired', 'abandoned'] };
    expect(await kindsSentBy(pathOf, { states: ['cancelled'] })).toEqual(lost);
  },
);
