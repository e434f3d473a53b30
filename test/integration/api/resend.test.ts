// Why an event goes to a webhook or not, and the requests for a resend. Its deliveries are tested in test/e2e/redelivery.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';

import { startService, type TestService } from '../../support/service.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('an event says why each webhook gets it or does not, and a pause is no reason', async () => {
  const add = async (fields: Record<string, unknown>): Promise<string> =>
    (await registerWebhook(service, { url: 'http://127.0.0.1:1/', ...fields })).uid;
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
  const webhook = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const path = `/events/${event._id}/resend`;
  expectProblem(await service.call('POST', path, { body: {} }), 409, 'conflict');
  expect(await service.store.jobs.countDocuments()).toBe(0);
  const named = await service.call('POST', path, { body: { webhookUids: [webhook._id] } });
  expect(named.status).toBe(202);
  expect(await service.store.jobs.countDocuments()).toBe(1);
});

test('a resend repeated with its Idempotency-Key is one resend', async () => {
  const webhook = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const event = await insertEvent(service, [webhook._id]);
  const headers = { 'x-api-key': service.app.apiKey, 'idempotency-key': 'resend-once' };
  const path = `/events/${event._id}/resend`;
  const first = await service.call('POST', path, { body: {}, headers });
  const again = await service.call('POST', path, { body: {}, headers });
  expect(again.body).toEqual(first.body);
  expect(await service.store.jobs.countDocuments({ eventId: event._id })).toBe(1);
});

test('a resend goes only to webhooks that still exist', async () => {
  const [kept, deleted] = await Promise.all([
    insertWebhook(service, { url: 'http://127.0.0.1:1/' }),
    insertWebhook(service, { url: 'http://127.0.0.1:1/' }),
  ]);
  const event = await insertEvent(service, [deleted._id, kept._id]);
  await service.call('DELETE', `/webhooks/${deleted._id}`);
  const answer = await service.call('POST', `/events/${event._id}/resend`, { body: {} });
  expect(answer.status).toBe(202);
  expect(answer.body['webhookUids']).toEqual([kept._id]);
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
    const url = 'http://127.0.0.1:1/';
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
  const webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
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

test('a webhook that does not get the event has no delivery to skip', async () => {
  const webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
  const { _id: eventId } = await insertEvent(service, []);
  const ofOther = await service.call('POST', `/events/${eventId}/deliveries/${webhookUid}/cancel`);
  expectProblem(ofOther, 404, 'not_found');
  const unknown = await service.call('POST', `/events/evt_0/deliveries/${webhookUid}/cancel`);
  expectProblem(unknown, 404, 'not_found');
  expect(await service.store.deliveries.countDocuments({ eventId })).toBe(0);
});

test('an event whose deliveries were all cancelled on purpose is resent only to named webhooks', async () => {
  const webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
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
  const ports = { store, clock, ...noSignals, retention: config.retention };
  const page = await takeJobPage(ports, { jobUid: redeliveryUid, page: 1 });
  expect(page.isLast).toBe(true);
  expect(await store.deliveries.findOne({ _id: delivery._id })).toEqual(delivery);
});

async function webhookToDelete(): Promise<string> {
  return (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
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
