// How the webhooks of an application are read: for a change, always current and separately for each application; and in
// lists of as many as a setting allows.
import { createWebhookReader } from '../../../api/resources/webhook-reader.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, faultsOf } from './problems.ts';

const webhooksPerAppMax = 1_000;
const url = 'https://example.com/hook';

const service = useService({
  worker: false,
  env: { HERALD_WEBHOOKS_PER_APP: String(webhooksPerAppMax) },
});

test('a read includes each change of a webhook made before it, and does not parse unchanged ones again', async () => {
  const { store, app } = service;
  const filter = [{ path: 'status', is: 'open' }];
  const { _id } = await insertWebhook(service, { url, filter });
  const other = await insertWebhook(service, { url, name: 'Other', description: 'long' });
  const read = createWebhookReader(store);
  const wanted = { appUid: app.appUid, entities: ['agent'] } as const;
  const before = await read(wanted);
  const { name: _n, description: _d, metadata: _m, lastTriggeredAt: _l, ...subscription } = other;
  expect(before).toEqual([expect.objectContaining({ _id, filter }), subscription]);
  const changed = [{ path: 'status', is: 'shut' }];
  await store.webhooks.updateOne({ _id }, { $set: { filter: changed } });
  // This field is only for people.
  await store.webhooks.updateOne({ _id: other._id }, { $set: { lastTriggeredAt: new Date() } });
  const after = await read(wanted);
  expect(after[0]?.filter).toEqual(changed);
  expect(after[1]).toBe(before[1]);
  await store.webhooks.deleteOne({ _id });
  expect(await read(wanted)).toEqual([subscription]);
});

/** A store whose reads of an application's webhooks never end. */
function silentFor(store: Store, silentUid: string): Store {
  const webhooks = Object.create(store.webhooks, {
    find: {
      value: (filter: { appUid: string }, options: object) => {
        const found = store.webhooks.find(filter, options);
        if (!JSON.stringify(filter).includes(silentUid)) return found;
        return { sort: () => ({ toArray: () => new Promise(() => undefined) }) };
      },
    },
  }) as Store['webhooks'];
  return { ...store, webhooks };
}

test('the read of one application does not wait for that of another', async () => {
  const { store, app } = service;
  const silentUid = 'app_silent';
  const read = createWebhookReader(silentFor(store, silentUid));
  const entities = ['context'] as const;
  const { _id } = await insertWebhook(service, { url, entities: [...entities] });
  const stuck = expect(read({ appUid: silentUid, entities })).rejects.toThrow('did not end');
  const uids = (await read({ appUid: app.appUid, entities })).map((webhook) => webhook._id);
  expect(uids).toContain(_id);
  await stuck;
});

describe('many webhooks', () => {
  let webhookUids: string[];

  beforeAll(async () => {
    await service.store.webhooks.deleteMany({});
    const model = await insertWebhook(service, { url });
    const others = Array.from({ length: webhooksPerAppMax - 1 }, () => ({
      ...model,
      _id: newId('whk', model.createdAt),
    }));
    await service.store.webhooks.insertMany(others);
    webhookUids = [model, ...others].map(({ _id }) => _id).toSorted();
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
});
