// The limit of webhooks per application, raised by a setting, and the calls that depend on it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../lib/platform/ids.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let webhookUids: string[];

const webhooksPerAppMax = 1_000;
const url = 'https://receiver.example.com/hook';
const register = () => service.call('POST', '/webhooks', { body: { url, entities: ['agent'] } });

beforeAll(async () => {
  service = await startService({
    worker: false,
    env: { HERALD_WEBHOOKS_PER_APP: String(webhooksPerAppMax) },
  });
  const model = await insertWebhook(service, { url });
  const others = Array.from({ length: webhooksPerAppMax - 2 }, () => ({
    ...model,
    _id: newId('whk', model.createdAt),
  }));
  await service.store.webhooks.insertMany(others);
  await service.store.apps.updateOne(
    { _id: service.app.appUid },
    { $set: { webhookCount: webhooksPerAppMax - 1 } },
  );
  webhookUids = [model, ...others].map(({ _id }) => _id).toSorted();
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

test('at a limit of 1,000 the 1,000th webhook is registered and the next is refused', async () => {
  const last = await register();
  expect(last.status).toBe(201);
  const refused = await register();
  expectProblem(refused, 409, 'limit_reached');
  expect(refused.body['detail']).toBe('an application can have at most 1000 webhooks');
  await service.call('DELETE', `/webhooks/${String(last.body['uid'])}`);
});

test('three queries list all webhooks with their held deliveries, counted up to 10,000', async () => {
  const [few = '', many = '', released = '', paused = ''] = webhookUids;
  const now = new Date();
  const { store } = service;
  const deliveries = (count: number, fields: Partial<DeliveryDocument>): DeliveryDocument[] =>
    Array.from({ length: count }, () => newDelivery(service, now, fields));
  await store.deliveries.insertMany([
    ...deliveries(3, { webhookUid: few, state: 'held' }),
    ...deliveries(2, { webhookUid: few, state: 'cancelled' }),
    ...deliveries(10_001, { webhookUid: many, state: 'held' }),
    ...deliveries(1, { webhookUid: released, state: 'delivered' }),
    ...deliveries(1, { webhookUid: released, state: 'retrying' }),
    ...deliveries(2, { webhookUid: paused, state: 'retrying' }),
    ...deliveries(3, { webhookUid: paused, state: 'pending' }),
    ...deliveries(4, { webhookUid: paused, state: 'exhausted' }),
    ...deliveries(1, { webhookUid: released, state: 'held', appUid: newId('app', now) }),
  ]);

  await service.call('PATCH', `/webhooks/${paused}`, { body: { active: false } });

  await store.db.setProfilingLevel('all');
  const { body } = await service.call('GET', '/webhooks');
  await store.db.setProfilingLevel('off');
  const listed = body as unknown as JsonBody[];

  expect(listed.map((webhook) => webhook['uid'])).toEqual(webhookUids);
  const held = new Map(listed.map((webhook) => [String(webhook['uid']), webhook['heldCount']]));
  const counted = [few, many, released, paused];
  expect(counted.map((uid) => held.get(uid))).toEqual([3, 10_000, 0, 5]);
  for (const uid of counted) {
    const shown = await service.call('GET', `/webhooks/${uid}`);
    expect(shown.body['heldCount']).toBe(held.get(uid));
  }
  const names = ['webhooks', 'deliveries'].map((name) => `${store.db.databaseName}.${name}`);
  const commands = await store.db
    .collection('system.profile')
    .find({ ns: { $in: names }, 'command.getMore': { $exists: false } })
    .toArray();
  const kinds = commands.map(({ ns, command }) => `${String(ns)}.${Object.keys(command)[0]}`);
  const [aggregate, find] = [`${names[0]}.aggregate`, `${names[0]}.find`];
  expect(kinds.toSorted()).toEqual([aggregate, aggregate, find]);
  // Held deliveries are counted in their index, without reading documents.
  for (const { docsExamined } of commands) expect(docsExamined).toBeLessThanOrEqual(1_000);
});

test('an event can be resent to as many webhooks as the setting allows, and no more', async () => {
  const event = await insertEvent(service, webhookUids);
  const path = `/events/${event._id}/resend`;
  const known = await service.call('POST', path, { body: { webhookUids } });
  expect(known.status).toBe(202);
  const tooMany = Array.from({ length: webhooksPerAppMax + 1 }, (_, n) => `whk_${n}`);
  const refused = await service.call('POST', path, { body: { webhookUids: tooMany } });
  expectProblem(refused, 400, 'invalid_request');
  expect(faultsOf(refused)).toEqual(['#/webhookUids maxItems']);
});
