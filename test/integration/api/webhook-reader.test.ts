// The webhooks that a change reads: always current, and separately for each application.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebhookReader } from '../../../api/resources/webhook-reader.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(() => installation?.[Symbol.asyncDispose]());

const url = 'https://example.com/hook';

test('a read includes each change of a webhook made before it, and does not parse unchanged ones again', async () => {
  const { store, app } = installation;
  const filter = [{ path: 'status', is: 'open' }];
  const { _id } = await insertWebhook(installation, { url, filter });
  const other = await insertWebhook(installation, { url, name: 'Other', description: 'long' });
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
  const { store, app } = installation;
  const silentUid = 'app_silent';
  const read = createWebhookReader(silentFor(store, silentUid));
  const entities = ['context'] as const;
  const { _id } = await insertWebhook(installation, { url, entities: [...entities] });
  const stuck = expect(read({ appUid: silentUid, entities })).rejects.toThrow('did not end');
  const uids = (await read({ appUid: app.appUid, entities })).map((webhook) => webhook._id);
  expect(uids).toContain(_id);
  await stuck;
});
