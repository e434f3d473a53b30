import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/platform/ids.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { type BenchApp, makeApp } from './app.ts';
import type { Bench } from './bench.ts';
import { openCaller } from './calls.ts';

const perInsert = 1_000;
// Spread evenly over a week.
const spanMs = 7 * 24 * 60 * 60 * 1_000;
const deliveryTimeoutMs = 20_000;
const pollEveryMs = 100;

// A delivered event as stored, of which the others are copies.
interface Model {
  event: EventDocument;
  delivery: DeliveryDocument;
}

/** Stores `count` delivered events of the application's first webhook, without sending them. */
export async function storeEvents(
  bench: Bench,
  { app, count }: { app: BenchApp; count: number },
): Promise<void> {
  const { store } = bench.service;
  const model = await deliverModel(bench);
  const startMs = Date.now() - spanMs;
  for (let first = 0; first < count; first += perInsert) {
    bench.signal.throwIfAborted();
    const copies = Array.from({ length: Math.min(perInsert, count - first) }, (_, index) =>
      copyModel(model, app, new Date(startMs + ((first + index) * spanMs) / count)),
    );
    await store.events.insertMany(copies.map(({ event }) => event));
    await store.deliveries.insertMany(copies.map(({ delivery }) => delivery));
  }
}

export async function removeEvents(store: Store, app: BenchApp): Promise<void> {
  await store.events.deleteMany({ appUid: app.appUid });
  await store.deliveries.deleteMany({ appUid: app.appUid });
}

// Has the service deliver one event of another application, and returns what it stored.
async function deliverModel(bench: Bench): Promise<Model> {
  const { service, settings, signal } = bench;
  const app = await makeApp(bench, { name: 'model', hooks: { matching: 1 } });
  const caller = openCaller([service.apiUrl]);
  try {
    const failure = await caller.changing(app, settings.path)(0);
    if (failure !== null) throw new Error(`the model event was not accepted: ${failure}`);
    const endMs = performance.now() + deliveryTimeoutMs;
    while (performance.now() < endMs) {
      const { appUid } = app;
      const delivery = await service.store.deliveries.findOne({ appUid, state: 'delivered' });
      const event = await service.store.events.findOne({ appUid, dispatchedAt: { $ne: null } });
      if (delivery !== null && event !== null) return { event, delivery };
      await delay(pollEveryMs, undefined, { signal });
    }
    throw new Error('the model event was not delivered');
  } finally {
    await caller[Symbol.asyncDispose]();
  }
}

function copyModel({ event, delivery }: Model, app: BenchApp, at: Date): Model {
  const { appUid } = app;
  const [webhookUid = ''] = app.hookUids;
  const eventId = newId('evt', at);
  const body = event.body.replaceAll(event._id, eventId).replaceAll(event.appUid, appUid);
  const workflowId = `event/${eventId}`;
  return {
    event: {
      ...event,
      _id: eventId,
      appUid,
      body,
      webhookUids: [webhookUid],
      workflowId,
      dispatchedAt: at,
      createdAt: at,
    },
    delivery: {
      ...delivery,
      _id: newId('dlv', at),
      appUid,
      eventId,
      webhookUid,
      createdAt: at,
      updatedAt: at,
    },
  };
}
