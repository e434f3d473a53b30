// Activities send heartbeats while they wait for the database, so that only dead workers time out.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ClientSession } from 'mongodb';
import { createActivities } from '../../../activities/index.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { newErasure } from '../../../lib/jobs/erasures.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import type { DeliveryActivities } from '../../../lib/temporal/messages.ts';
import { retentionJobUid } from '../../../lib/temporal/names.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;
let activities: DeliveryActivities;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  activities = createActivities(deliveryPorts(installation, { sender }));
});

afterAll(() => open[Symbol.asyncDispose]());

/** A document that another transaction locks, and the activity that changes it. */
interface Work {
  lock: (session: ClientSession) => Promise<unknown>;
  run: () => Promise<unknown>;
}

async function releasing(): Promise<Work> {
  const { store, app } = installation;
  const held = newDelivery(installation, new Date(Date.now() - 1_000), { state: 'held' });
  const { webhookUid, _id } = held;
  // The webhook is deleted, so its held delivery is cancelled.
  const release = newRelease({ appUid: app.appUid, webhookUid }, new Date());
  await store.deliveries.insertOne(held);
  await store.jobs.insertOne(release);
  return {
    lock: (session) =>
      store.deliveries.updateOne({ _id }, { $set: { event: 'agent.deleted' } }, { session }),
    run: () => activities.takeJobPage({ jobUid: release._id, page: 1 }),
  };
}

async function deletingExpired(): Promise<Work> {
  const { jobs } = installation.store;
  const old = newRelease({ appUid: 'app_1', webhookUid: 'whk_1' }, new Date(0));
  const { _id } = old;
  await jobs.insertOne({ ...old, state: 'done', finishedAt: new Date(0) });
  return {
    lock: (session) => jobs.updateOne({ _id }, { $set: { appUid: 'app_2' } }, { session }),
    run: () => activities.takeJobPage({ jobUid: retentionJobUid, page: 1 }),
  };
}

async function erasing(): Promise<Work> {
  const { store, app } = installation;
  const event = newEvent(installation, [], new Date(Date.now() - 1_000));
  const { _id, externalTenantId } = event;
  const erasure = newErasure(app.appUid, { externalTenantId }, new Date());
  await store.events.insertOne(event);
  await store.jobs.insertOne(erasure);
  return {
    lock: (session) => store.events.updateOne({ _id }, { $set: { sequence: 2 } }, { session }),
    run: () => activities.takeJobPage({ jobUid: erasure._id, page: 1 }),
  };
}

test.each([
  ['a page of a release', releasing],
  ['a batch of the retention', deletingExpired],
  ['a chunk of an erasure', erasing],
])('%s sends heartbeats while it waits', async (_what, prepare) => {
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
