// Why an event goes to a webhook or not, and the requests for a resend or a sync. Their deliveries are tested in
// test/e2e/redelivery.test.ts and test/integration/jobs/sync-page.test.ts.
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem, itemsOf } from './problems.ts';

/** An application for syncs, and its webhook. */
let app: TestApp;
let syncedUid: string;
const entities = ['agent', 'context', 'contextfile'];
const url = 'http://127.0.0.1:1/';

const service = useService({ worker: false });

beforeAll(async () => {
  app = await addApp(service);
  ({ uid: syncedUid } = await registerWebhook(app, { url, entities }));
});

test('an event says why each webhook gets it or does not, and a pause is no reason', async () => {
  const add = async (fields: Record<string, unknown>): Promise<string> =>
    (await registerWebhook(service, { url, ...fields })).uid;
  const filter = { 'owner.team': 'core', live: true };
  const got = await add({});
  const paused = await add({ active: false });
  const entity = await add({ entities: ['context'] });
  const event = await add({ events: ['agent.created'] });
  const tenant = await add({ externalTenantIds: ['tenant-2'] });
  const filtered = await add({ filter });
  const changed = await add({ filter });
  const notices = await add({ kind: 'operations', entities: undefined });
  const owner = { team: 'web' };
  const eventId = await reportChange(service, { live: true, owner });
  const later = await add({});
  await service.call('PATCH', `/webhooks/${changed}`, { body: { filter: null } });

  const of = [got, paused, entity, event, tenant, filtered, changed, notices, later];
  const why = async (id: string): Promise<unknown[]> => {
    const answer = await service.call('GET', `/events/${id}/webhooks`);
    const rows = answer.body as unknown as JsonBody[];
    return of.map((uid) => {
      const { outcome, condition } = rows.find((row) => row['webhookUid'] === uid) ?? {};
      return condition === null ? outcome : { outcome, condition };
    });
  };
  const unmet = { outcome: 'filter', condition: { 'owner.team': 'core' } };
  expect(await why(eventId)).toEqual([
    'delivery',
    'delivery',
    'entity',
    'event',
    'tenant',
    unmet,
    'changed_later',
    'kind',
    'created_later',
  ]);
  const resent = newDelivery(service, new Date(), { eventId, webhookUid: entity });
  await service.store.deliveries.insertOne(resent);
  expect((await why(eventId))[of.indexOf(entity)]).toBe('delivery');
  const unknown = await service.call('GET', '/events/evt_0/webhooks');
  expectProblem(unknown, 404, 'not_found');

  await service.store.events.updateOne({ _id: eventId }, { $set: { erasedAt: new Date() } });
  expect((await why(eventId))[of.indexOf(filtered)]).toBe('erased');
  expect((await why(eventId))[of.indexOf(tenant)]).toBe('tenant');

  const test = await service.call('POST', `/webhooks/${got}/test`, { body: {} });
  const ofTest = await why(String(test.body['eventId']));
  expect(ofTest).toEqual(of.map((uid) => (uid === got ? 'delivery' : 'test')));
});

test('an event that no webhook got is resent only to webhooks that the request names', async () => {
  const event = await insertEvent(service, []);
  const webhook = await insertWebhook(service, { url });
  const path = `/events/${event._id}/resend`;
  expectProblem(await service.call('POST', path, { body: {} }), 409, 'conflict');
  expect(await service.store.jobs.countDocuments({ eventId: event._id })).toBe(0);
  const named = await service.call('POST', path, { body: { webhookUids: [webhook._id] } });
  expect(named.status).toBe(202);
  expect(await service.store.jobs.countDocuments({ eventId: event._id })).toBe(1);
});

test.each([
  ['discarded', false],
  ['skipped', false],
  ['unsubscribed', false],
  ['expired', true],
  ['abandoned', true],
] as const)(
  "a resend to all webhooks, of which one's delivery is cancelled as %s, goes to that one: %j",
  async (...row) => {
    const [cancelReason, isSent] = row;
    const cancelled = (await insertWebhook(service, { url }))._id;
    const other = (await insertWebhook(service, { url }))._id;
    const { _id: eventId } = await insertEvent(service, [cancelled, other]);
    const fields = { eventId, webhookUid: cancelled, state: 'cancelled', cancelReason } as const;
    await service.store.deliveries.insertOne(newDelivery(service, new Date(), fields));
    const path = `/events/${eventId}/resend`;
    const toAll = await service.call('POST', path, { body: {} });
    expect(toAll.body['webhookUids']).toEqual(isSent ? [cancelled, other] : [other]);
    const named = await service.call('POST', path, { body: { webhookUids: [cancelled] } });
    expect(named.body['webhookUids']).toEqual([cancelled]);
  },
);

test.each([
  ['pending', 200],
  ['retrying', 200],
  ['held', 200],
  [null, 200],
  ['delivered', 409],
  ['exhausted', 409],
  ['blocked', 409],
  ['cancelled', 409],
] as const)('skipping a delivery that is %s is answered with %d', async (...row) => {
  const [state, status] = row;
  const webhookUid = (await insertWebhook(service, { url }))._id;
  const { _id: eventId } = await insertEvent(service, [webhookUid]);
  const { store } = service;
  const cancelReason = state === 'cancelled' ? ('unsubscribed' as const) : null;
  if (state !== null) {
    const fields = { eventId, webhookUid, state, cancelReason };
    await store.deliveries.insertOne(newDelivery(service, new Date(), fields));
  }
  const before = await store.deliveries.findOne({ eventId });
  const path = `/events/${eventId}/deliveries/${webhookUid}/cancel`;
  const answer = await service.call('POST', path);
  const rows = await store.auditLog.find({ 'target.uid': eventId }).toArray();
  if (status === 409) {
    expectProblem(answer, 409, 'conflict');
    expect(answer.body['detail']).toContain(state);
    expect(await store.deliveries.findOne({ eventId })).toEqual(before);
    expect(rows).toEqual([]);
    return;
  }
  const skipped = { state: 'cancelled', cancelReason: 'skipped', nextAttemptAt: null };
  expect(answer).toMatchObject({ status, body: { eventId, webhookUid, ...skipped } });
  const details = { webhookUid, state: state ?? 'pending' };
  expect(rows).toMatchObject([{ action: 'delivery.skipped', details }]);
  // A repeat changes nothing.
  const after = await store.deliveries.findOne({ eventId });
  expect((await service.call('POST', path)).body).toEqual(answer.body);
  expect(await store.deliveries.findOne({ eventId })).toEqual(after);
  expect(await store.auditLog.countDocuments({ 'target.uid': eventId })).toBe(1);
});

test('an event whose deliveries were all cancelled on purpose is resent only to named webhooks', async () => {
  const webhookUid = (await insertWebhook(service, { url }))._id;
  const { _id: eventId } = await insertEvent(service, [webhookUid]);
  const fields = { eventId, webhookUid, state: 'cancelled', cancelReason: 'discarded' } as const;
  await service.store.deliveries.insertOne(newDelivery(service, new Date(), fields));
  const refused = await service.call('POST', `/events/${eventId}/resend`, { body: {} });
  expectProblem(refused, 409, 'conflict');
  expect(refused.body['detail']).toContain('cancelled on purpose');
});

test('an event whose webhooks are all deleted is not resent, and its deliveries stay delivered', async () => {
  const { delivery, path } = await deliveredTo(await webhookToDelete());
  await service.call('DELETE', `/webhooks/${delivery.webhookUid}`);
  const refused = await service.call('POST', path, { body: {} });
  expectProblem(refused, 409, 'conflict');
  expect(refused.body['detail']).toContain('deleted');
  expect(await service.store.jobs.countDocuments({ eventId: delivery.eventId })).toBe(0);
  expect(await service.store.deliveries.findOne({ _id: delivery._id })).toEqual(delivery);
});

test("the delivery to a webhook that is deleted after the resend's request stays delivered", async () => {
  const { store, config } = service;
  const { delivery, path } = await deliveredTo(await webhookToDelete());
  const asked = await service.call('POST', path, { body: {} });
  await service.call('DELETE', `/webhooks/${delivery.webhookUid}`);
  const redeliveryUid = String(asked.body['redeliveryUid']);
  const { clock } = service.context;
  const ports = { store, clock, ...noSignals, ...config };
  const page = await takeJobPage(ports, { jobUid: redeliveryUid, page: 1 });
  expect(page.isLast).toBe(true);
  expect(await store.deliveries.findOne({ _id: delivery._id })).toEqual(delivery);
});

async function webhookToDelete(): Promise<string> {
  return (await insertWebhook(service, { url }))._id;
}

/** An event delivered to a webhook: the stored delivery, and the path that resends it. */
async function deliveredTo(
  webhookUid: string,
): Promise<{ delivery: DeliveryDocument; path: string }> {
  const { _id: eventId } = await insertEvent(service, [webhookUid]);
  const fields = { eventId, webhookUid, state: 'delivered', attemptCount: 1 } as const;
  const delivery = newDelivery(service, new Date(), fields);
  await service.store.deliveries.insertOne(delivery);
  return { delivery, path: `/events/${eventId}/resend` };
}

const sync = (body: unknown, uid = syncedUid) =>
  app.call('POST', `/webhooks/${uid}/sync`, { body });

test('a webhook of the kind operations cannot be synced, and an unknown one neither', async () => {
  const body = { url, kind: 'operations' };
  const operations = await app.call('POST', '/webhooks', { body });
  const uid = String(operations.body['uid']);
  for (const dryRun of [false, true]) {
    expectProblem(await sync({ dryRun }, uid), 409, 'conflict');
    expectProblem(await sync({ dryRun }, newId('whk')), 404, 'not_found');
  }
});

test('a dry run counts the resources by entity, as the request and the webhook select them', async () => {
  const make = (path: string, body: object) => app.call('POST', path, { body });
  for (const externalTenantId of ['a', 'a', 'b']) {
    await make('/agents', { agentName: 'A', externalTenantId, live: externalTenantId === 'b' });
  }
  const context = await make('/contexts', { contextName: 'C', externalTenantId: 'a' });
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  await make(`/contexts/${String(context.body['uid'])}/files`, file);
  const data = { uid: 'ctx-1', externalTenantId: 'b' };
  await make('/changes', { event: 'context.created', data });
  await make('/changes', { event: 'agent.deleted', data });
  const counted = async (body: object, uid?: string) => {
    const answer = await sync({ dryRun: true, ...body }, uid);
    const { dryRun, count, countIsCapped, counts } = answer.body;
    expect([answer.status, dryRun, countIsCapped]).toEqual([200, true, false]);
    return [count, counts];
  };
  // The webhook is about to get the event of the context that was just reported.
  expect(await counted({})).toEqual([5, { agent: 3, context: 1, contextfile: 1 }]);
  const agents = [1, { agent: 1, context: 0, contextfile: 0 }];
  expect(await counted({ entities: ['agent'], externalTenantIds: ['b'] })).toEqual(agents);
  const live = await registerWebhook(app, { url, filter: { live: true } });
  expect(await counted({}, live.uid)).toEqual(agents);
  expect(await counted({ entities }, live.uid)).toEqual(agents);
  const later = await registerWebhook(app, { url, entities: ['context'], active: false });
  expect(await counted({}, later.uid)).toEqual([2, { agent: 0, context: 2, contextfile: 0 }]);
  expect(await service.store.jobs.countDocuments({ appUid: app.appUid })).toBe(0);
});

test('a sync is shown with its progress, listed newest first, and cancelled once', async () => {
  const started = await sync({ externalTenantIds: ['a'], perSecond: 7 });
  const uid = String(started.body['uid']);
  const shown = {
    uid,
    webhookUid: syncedUid,
    entities,
    externalTenantIds: ['a'],
    perSecond: 7,
    state: 'running',
    releasedCount: 0,
    counts: { agent: 0, context: 0, contextfile: 0 },
    createdAt: started.body['createdAt'],
    finishedAt: null,
  };
  expect(started.body).toEqual({ ...shown, isPaused: false });
  const path = started.headers.get('location') ?? '';
  expect((await app.raw('GET', path)).body).toMatchObject(shown);
  const other = await registerWebhook(app, { url, active: false });
  const paused = await sync({}, other.uid);
  expect(paused.body).toMatchObject({ isPaused: true, entities: ['agent'] });
  const listed = async (query = '') => {
    const items = itemsOf(await app.call('GET', `/syncs${query}`));
    return items.map((item) => item['uid']);
  };
  expect(await listed()).toEqual([paused.body['uid'], uid]);
  expect(await listed(`?webhookUid=${syncedUid}`)).toEqual([uid]);
  for (const times of [1, 2]) {
    const cancelled = await app.call('POST', `/syncs/${uid}/cancel`);
    expect([times, cancelled.body['state']]).toEqual([times, 'cancelled']);
  }
  const rows = await service.store.auditLog.find({ 'target.uid': uid }).toArray();
  expect(rows.map(({ action }) => action)).toEqual(['sync.created', 'sync.cancelled']);
  expect(JSON.stringify(rows)).not.toContain('"a"');
});
