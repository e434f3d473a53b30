// Old events and their deliveries removed by the retention, alone and next to a light load.
import { setTimeout as delay } from 'node:timers/promises';
import { insertDeliveries } from '../../../lib/deliveries/delivery-records.ts';
import { stepOf } from '../../../lib/deliveries/record-step.ts';
import type { DeliveryKey, DeliveryStep } from '../../../lib/model/delivery.ts';
import { renderPayload } from '../../../lib/model/event-payload.ts';
import { type EventDocument, newEvent } from '../../../lib/model/event.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { idAt, newId } from '../../../lib/platform/ids.ts';
import { eventWorkflowId, retentionScheduleId } from '../../../lib/temporal/names.ts';
import { compareBeside } from '../beside.ts';
import { nowMs } from '../clock.ts';
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

/** The maximum ratio of the p99 of a light load next to the retention to its p99 alone. */
export const retentionTimesMax = 1.5;
/** The minimum of events that the retention is to remove per second, with their deliveries. It waits half of the time. */
const removedPerSecondMin = 5_000;

const insertedTogether = 1_000;
const pollEveryMs = 100;
const removalMsMax = 15 * 60_000;
// The load ends before the removal does.
const loadShare = 0.9;
const hooks = { matching: 1 };

export const retention: Scenario = {
  name: 'retention',
  about:
    'removes 200,000 old events with 300,000 deliveries (5,000 for each of --seconds), alone and next to 20 changes a second',
  isMain: false,
  async run(bench) {
    const { settings } = bench;
    const count =
      settings.seconds === null
        ? sized(settings, 200_000, 2_000)
        : removedPerSecondMin * settings.seconds;
    await insertOld(bench, count);
    const perSecond = await remove(bench, count);
    const seconds = Math.max(1, (loadShare * count) / perSecond);
    const load = openLoad({ ...settings, seconds }, 20, seconds);
    const alone = await measure(bench, { name: 'alone', hooks, load });
    let besideRate = 0;
    const beside = await measure(bench, {
      name: 'next to the retention',
      hooks,
      load,
      prepare: () => insertOld(bench, count),
      async during() {
        besideRate = await remove(bench, count);
      },
    });
    const { note, missed } = compareBeside({
      what: 'the light load, next to the retention',
      timesMax: retentionTimesMax,
      aloneMs: alone.receiptMs?.p99,
      besideMs: beside.receiptMs?.p99,
    });
    const isSlow = !settings.short && perSecond < removedPerSecondMin;
    return {
      measurements: [alone, beside],
      notes: [
        `${count} events with ${1.5 * count} deliveries: ${Math.round(perSecond)} events a second removed alone, ${Math.round(besideRate)} next to the load.`,
        note,
      ],
      missed: [
        ...missed,
        ...(isSlow ? [`fewer than ${removedPerSecondMin} events a second were removed`] : []),
      ],
    };
  },
};

/** Inserts old events, each second one with two deliveries, the others with one. */
async function insertOld({ service, say }: Bench, count: number): Promise<void> {
  const { store, config } = service;
  say(`  inserting ${count} old events`);
  const fromMs = Date.now() - config.retention.recordsMs - 10 * dayMs;
  const webhookUids = [newId('whk'), newId('whk')];
  for (let from = 0; from < count; from += insertedTogether) {
    const size = Math.min(insertedTogether, count - from);
    const events = Array.from({ length: size }, (_, n) => {
      const at = new Date(fromMs + from + n);
      return oldEvent(webhookUids.slice(0, 1 + ((from + n) % 2)), at);
    });
    await store.events.insertMany(events);
    await insertDeliveries(store, events.flatMap(stepsOf));
  }
}

function oldEvent(webhookUids: string[], at: Date): EventDocument {
  const eventId = newId('evt', at);
  const facts = {
    appUid: 'app_old',
    event: 'agent.updated',
    externalTenantId: 'tenant-1',
  } as const;
  const data = { uid: newId('agt', at), externalTenantId: 'tenant-1', agentName: 'Support' };
  const body = renderPayload({ ...facts, eventId, timestamp: at, data });
  const entity = 'agent';
  const made = {
    ...facts,
    _id: eventId,
    entity,
    resourceUid: data.uid,
    body,
    webhookUids,
  } as const;
  return { ...newEvent(made, at), workflowId: eventWorkflowId(made), dispatchedAt: at };
}

function stepsOf(event: EventDocument): (readonly [DeliveryKey, DeliveryStep])[] {
  const { _id: eventId, appUid, webhookUids, createdAt: now } = event;
  const attempt = {
    n: 1,
    at: now,
    ms: { total: 10 },
    status: 200,
    errorClass: null,
    detail: null,
    responseSample: 'ok',
    address: '127.0.0.1',
    trigger: 'event',
    state: 'delivered',
  } as const;
  const step = { state: 'delivered', attempt, nextAttemptAt: null, now } as const;
  return webhookUids.map((webhookUid) => [
    { appUid, eventId, webhookUid },
    stepOf({ delivery: null, event }, webhookUid, step),
  ]);
}

/** Runs the retention as its schedule does, and returns the events removed per second. */
async function remove({ service, signal, say }: Bench, count: number): Promise<number> {
  const { store, temporal, config } = service;
  const old = { _id: { $lt: idAt('evt', new Date(Date.now() - config.retention.recordsMs)) } };
  const startMs = nowMs();
  await temporal.schedule.getHandle(retentionScheduleId).trigger();
  while ((await store.events.findOne(old, { projection: { _id: 1 } })) !== null) {
    if (nowMs() > startMs + removalMsMax) throw new Error('the retention did not end');
    await delay(pollEveryMs, undefined, { signal });
  }
  const perSecond = (1_000 * count) / (nowMs() - startMs);
  say(`  ${Math.round(perSecond)} events a second removed`);
  return perSecond;
}
