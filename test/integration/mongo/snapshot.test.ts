// Reads in a snapshot.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inSnapshot } from '../../../lib/mongo/snapshot.ts';
import { insertEvent, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

test('later reads of a snapshot see no write since the first one, in any batch', async () => {
  const { store } = installation;
  const { appUid } = installation.app;
  const first = [
    newDelivery(installation, new Date(), {}),
    newDelivery(installation, new Date(), {}),
    newDelivery(installation, new Date(), {}),
  ];
  await store.deliveries.insertMany(first);
  const seen = await inSnapshot(store, async (snapshot) => {
    const events = await store.events.countDocuments({ appUid }, snapshot);
    await insertEvent(installation, []);
    await store.deliveries.insertOne(newDelivery(installation, new Date(), {}));
    const options = { ...snapshot, batchSize: 1 };
    const deliveries = await store.deliveries.find({ appUid }, options).sort({ _id: 1 }).toArray();
    const { length } = await store.events.find({ appUid }, snapshot).toArray();
    return { events, eventsLater: length, deliveries: deliveries.map(({ _id }) => _id) };
  });
  const deliveries = first.map(({ _id }) => _id);
  expect(seen).toEqual({ events: 0, eventsLater: 0, deliveries });
  expect(await store.events.countDocuments({ appUid })).toBe(1);
});
