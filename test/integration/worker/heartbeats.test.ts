// What works on the database beats while it waits for it, so that only a dead worker is taken for one.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ClientSession } from 'mongodb';
import { createActivities } from '../../../activities/index.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { newErasure } from '../../../lib/store/erasures.ts';
import { newDiscard } from '../../../lib/store/redeliveries.ts';
import type { DeliveryActivities } from '../../../lib/temporal/messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;
let activities: DeliveryActivities;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  activities = createActivities(deliveryPorts(installation, { sender }));
});

afterAll(() => open[Symbol.asyncDispose]());

/** What an activity is to change: written before, locked by another's transaction, and changed by `run`. */
interface Work {
  lock: (session: ClientSession) => Promise<unknown>;
  run: () => Promise<unknown>;
}

async function discarding(): Promise<Work> {
  const { store, app } = installation;
  const held = newDelivery(installation, new Date(Date.now() - 1_000), { state: 'held' });
  const { webhookUid, _id } = held;
  const discard = newDiscard({ appUid: app.appUid, webhookUids: [webhookUid] }, new Date());
  await store.deliveries.insertOne(held);
  await store.redeliveries.insertOne(discard);
  const source = { kind: 'redelivery', redeliveryUid: discard._id } as const;
  const input = { appUid: app.appUid, source, after: '', released: 0 };
  return {
    lock: (session) =>
      store.deliveries.updateOne({ _id }, { $set: { event: 'agent.deleted' } }, { session }),
    run: () => activities.takeRedeliverPage(input),
  };
}

async function tidying(): Promise<Work> {
  const { redeliveries } = installation.store;
  const old = newDiscard({ appUid: 'app_1', webhookUids: [] }, new Date(0));
  const { _id } = old;
  await redeliveries.insertOne(old);
  return {
    lock: (session) => redeliveries.updateOne({ _id }, { $set: { appUid: 'app_2' } }, { session }),
    run: () => activities.tidyUpBatch({ after: '' }),
  };
}

async function erasing(): Promise<Work> {
  const { store, app } = installation;
  const event = newEvent(installation, [], new Date(Date.now() - 1_000));
  const { _id, externalTenantId } = event;
  const erasure = newErasure(app.appUid, { externalTenantId }, new Date());
  await store.events.insertOne(event);
  await store.erasures.insertOne(erasure);
  return {
    lock: (session) => store.events.updateOne({ _id }, { $set: { inOrder: true } }, { session }),
    run: () => activities.eraseBatch({ erasureUid: erasure._id }),
  };
}

test.each([
  ['a page of a redelivery', discarding],
  ['a batch of the tidy-up', tidying],
  ['a stretch of an erasure', erasing],
])('%s beats while it waits', async (_what, prepare) => {
  const { lock, run } = await prepare();
  await using session = installation.store.client.startSession();
  session.startTransaction();
  await lock(session);
  const environment = new MockActivityEnvironment();
  const beat = new Promise((resolve) => void environment.once('heartbeat', resolve));
  const working = environment.run(run);
  const first = await Promise.race([beat.then(() => 'a beat'), working.then(() => 'the end')]);
  await session.abortTransaction();
  await working;
  expect(first).toBe('a beat');
});
