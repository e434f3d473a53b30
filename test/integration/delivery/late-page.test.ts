// Pages whose worker stood still between its reading and its taking, while another did them: they take nothing.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/clock.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { Store } from '../../../lib/store/connect.ts';
import { newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { RedeliverPage, RedeliverSource } from '../../../lib/temporal/messages.ts';
import { noLanes } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;
let webhookUid: string;
let eventIds: string[];

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  ({ _id: webhookUid } = await insertWebhook(installation, {
    url: 'https://receiver.example.com/',
  }));
  eventIds = [];
});

/** Deliveries to the webhook, the first the oldest, each with an event of its own. */
async function insert(count: number, state: DeliveryDocument['state']): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const { _id: eventId } = await insertEvent(installation, [webhookUid]);
    const delivery = newDelivery(installation, new Date(), { eventId, webhookUid, state });
    await installation.store.deliveries.insertOne(delivery);
    eventIds.push(eventId);
  }
}

async function askForResend(): Promise<RedeliverSource> {
  const asked = newRedelivery(installation.app.appUid, new Date());
  const kind = 'resend' as const;
  await installation.store.redeliveries.insertOne({
    ...asked,
    kind,
    eventId: eventIds[0] ?? '',
    webhookUids: [webhookUid],
  });
  return { kind: 'redelivery', redeliveryUid: asked._id };
}

async function askForReplay(perSecond: number): Promise<RedeliverSource> {
  const now = Date.now();
  const asked = newRedelivery(installation.app.appUid, new Date());
  await installation.store.redeliveries.insertOne({
    ...asked,
    kind: 'replay',
    webhookUid,
    since: new Date(now - 60_000),
    until: new Date(now + 60_000),
    events: null,
    states: ['exhausted'],
    perSecond,
  });
  return { kind: 'redelivery', redeliveryUid: asked._id };
}

async function resume(): Promise<RedeliverSource> {
  const releaseUid = newId('rdl');
  const resumed = { active: true, releaseUid };
  await installation.store.webhooks.updateOne({ _id: webhookUid }, { $set: resumed });
  return { kind: 'held', webhookUid, releaseUid };
}

function take(source: RedeliverSource, after = '', store?: Store): Promise<RedeliverPage> {
  const ports = { store: store ?? installation.store, clock: systemClock, wakeLane: noLanes };
  const { appUid } = installation.app;
  return takePage(ports, { appUid, source, after, released: 0 });
}

/** The database for a worker that stands still after its first reading of a webhook or an event. */
function stillAfter(reading: 'webhooks' | 'events', meanwhile: () => Promise<unknown>): Store {
  const { store } = installation;
  let reads = 0;
  const collection = new Proxy<object>(store[reading], {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'findOne' || typeof value !== 'function') return value;
      return async (...facts: unknown[]) => {
        const found: unknown = await Reflect.apply(value, target, facts);
        reads += 1;
        if (reads === 1) await meanwhile();
        return found;
      };
    },
  });
  return { ...store, [reading]: collection };
}

/** The database for a worker that stands still between what it has chosen and its taking of it. */
function stillBeforeTaking(meanwhile: () => Promise<unknown>): Store {
  const { store } = installation;
  let writes = 0;
  const redeliveries = new Proxy(store.redeliveries, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'updateOne' || typeof value !== 'function') return value;
      return async (...facts: unknown[]): Promise<unknown> => {
        writes += 1;
        if (writes === 1) await meanwhile();
        return Reflect.apply(value, target, facts);
      };
    },
  });
  return { ...store, redeliveries };
}

async function carriers(): Promise<{ state: string; redeliveryUid: string | null }[]> {
  const found = await installation.store.deliveries.find({ webhookUid }).sort({ _id: 1 }).toArray();
  return found.map(({ state, redeliveryUid }) => ({ state, redeliveryUid }));
}

const uidOf = (source: RedeliverSource): string =>
  source.kind === 'held' ? (source.releaseUid ?? '') : source.redeliveryUid;

test('a resend that another worker has carried to its end takes nothing from the resend after it', async () => {
  await insert(1, 'exhausted');
  const first = await askForResend();
  const second = await askForResend();
  const late = stillAfter('events', async () => {
    await take(first);
    await take(second);
  });
  expect(await take(first, '', late)).toMatchObject({ events: [], isLast: true });
  expect(await carriers()).toEqual([{ state: 'pending', redeliveryUid: uidOf(second) }]);
});

test('a replay takes nothing once it is cancelled, or past the page', async () => {
  await insert(2, 'exhausted');
  const { deliveries, redeliveries } = installation.store;
  const cancelled = await askForReplay(1);
  const cancelling = stillAfter('webhooks', () =>
    redeliveries.updateOne({ _id: uidOf(cancelled) }, { $set: { state: 'cancelled' } }),
  );
  expect(await take(cancelled, '', cancelling)).toMatchObject({ events: [], isLast: true });
  const untouched = { state: 'exhausted', redeliveryUid: null };
  expect(await carriers()).toEqual([untouched, untouched]);
  const replay = await askForReplay(1);
  const late = stillAfter('webhooks', async () => {
    await take(replay);
    await deliveries.updateOne({ eventId: eventIds[0] ?? '' }, { $set: { state: 'exhausted' } });
  });
  expect(await take(replay, '', late)).toMatchObject({ events: [], isLast: false });
  expect(await carriers()).toEqual([
    { state: 'exhausted', redeliveryUid: uidOf(replay) },
    untouched,
  ]);
});

test('a replay takes nothing of a page that another worker has taken and not noted yet', async () => {
  await insert(2, 'exhausted');
  const { redeliveries } = installation.store;
  const replay = await askForReplay(20);
  const resend = await askForResend();
  const late = stillBeforeTaking(async () => {
    await take(resend);
    await take(replay);
    const unnoted = { $set: { state: 'running' }, $unset: { reached: '' } } as const;
    await redeliveries.updateOne({ _id: uidOf(replay) }, unnoted);
  });
  const ofOthers = [{ eventId: eventIds[1], webhookUids: [webhookUid] }];
  expect(await take(replay, '', late)).toMatchObject({ events: ofOthers, isLast: true });
  expect(await carriers()).toEqual([
    { state: 'pending', redeliveryUid: uidOf(resend) },
    { state: 'pending', redeliveryUid: uidOf(replay) },
  ]);
});

test('a release takes nothing once its webhook is paused, or resumed again', async () => {
  await insert(1, 'held');
  const { webhooks } = installation.store;
  const first = await resume();
  const pausing = stillAfter('webhooks', () =>
    webhooks.updateOne({ _id: webhookUid }, { $set: { active: false } }),
  );
  expect(await take(first, '', pausing)).toMatchObject({ events: [], isLast: true });
  const second = await resume();
  expect(await take(second, '', stillAfter('webhooks', resume))).toMatchObject({ events: [] });
  expect(await carriers()).toEqual([{ state: 'held', redeliveryUid: null }]);
});

test('a page in the middle of a replay that was taken and noted is given again as it was', async () => {
  await insert(3, 'exhausted');
  const replay = await askForReplay(2);
  const page = await take(replay);
  expect(page).toMatchObject({ after: eventIds[1], isLast: false });
  expect(await take(replay)).toEqual(page);
  const last = await take(replay, page.after);
  expect(last).toMatchObject({ events: [{ eventId: eventIds[2] }], isLast: true });
  expect(await take(replay, page.after)).toEqual(last);
});
