// Events and deliveries for searches: one tenant has half of all and fails seldom, another has a receiver that is down.
import { createHash } from 'node:crypto';
import { newId } from '../../lib/platform/ids.ts';
import { insertDeliveries } from '../../lib/deliveries/deliveries.ts';
import type { Attempt, AttemptState, ErrorClass } from '../../lib/model/attempt.ts';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import type { DeliveryKey, DeliveryStep } from '../../lib/model/delivery.ts';
import { entityOf, type EventName, eventNames } from '../../lib/model/event-name.ts';
import { renderPayload } from '../../lib/model/event-payload.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { BenchApp } from './app.ts';
import type { Bench } from './bench.ts';

export const spanMs = 30 * 24 * 60 * 60 * 1_000;
export const hugeTenant = 'tenant-huge';
export const downTenant = 'tenant-down';
export const hotResource = 'bot-hot';
/** Only small tenants have it. */
export const rareEvent: EventName = 'contextfile.deleted';

const perInsert = 1_000;
const insertsAtOnce = 2;
const smallTenants = 500;
const resources = 20_000;

type Ending = readonly [state: DeliveryState, status: number | null, errorClass: ErrorClass | null];

const downEndings: readonly Ending[] = [
  ['exhausted', 503, 'status'],
  ['exhausted', null, 'timeout'],
  ['exhausted', null, 'connect'],
];
const hugeEndings: readonly Ending[] = [
  ['exhausted', 500, 'status'],
  ['exhausted', null, 'reset'],
  ['cancelled', null, 'reset'],
];
const otherEndings: readonly Ending[] = [
  ...hugeEndings,
  ['exhausted', 404, 'status'],
  ['exhausted', 302, 'status'],
  ['exhausted', null, 'dns'],
  ['exhausted', null, 'tls'],
  ['exhausted', null, 'too_large'],
  ['blocked', null, 'blocked'],
  ['retrying', 429, 'status'],
  ['retrying', null, 'timeout'],
  ['held', 500, 'status'],
];

/**
 * Stores `count` events with two deliveries each, to the webhook of all tenants and to that of the tenant, spread over
 * 30 days. Some 5 % of the deliveries failed.
 */
export async function storeCorpus(
  { service, signal, say }: Bench,
  { app, count }: { app: BenchApp; count: number },
): Promise<void> {
  const startMs = Date.now() - spanMs;
  let next = 0;
  const insertInTurn = async (): Promise<void> => {
    while (next < count) {
      signal.throwIfAborted();
      const first = next;
      next = Math.min(count, first + perInsert);
      if (first % 100_000 === 0) say(`  ${first.toLocaleString('en')} events stored`);
      const events = Array.from({ length: next - first }, (_, index) => {
        const n = first + index;
        return makeEvent(app, n, new Date(startMs + (n * spanMs) / count));
      });
      await service.store.events.insertMany(events, { ordered: false });
      await insertDeliveries(service.store, events.flatMap(stepsOf));
    }
  };
  await Promise.all(Array.from({ length: insertsAtOnce }, insertInTurn));
}

function makeEvent({ appUid, hookUids }: BenchApp, n: number, at: Date): EventDocument {
  const externalTenantId = tenantOf(n);
  const event = nameOf(n, externalTenantId);
  const isHot = externalTenantId === hugeTenant && drawOf('hot', n) < 0.04;
  const uid = isHot ? hotResource : `bot-${numberOf('resource', n, resources)}`;
  const eventId = newId('evt', at);
  const data = { uid, externalTenantId, agentName: 'Support', live: true, description: `n ${n}` };
  return {
    _id: eventId,
    appUid,
    event,
    entity: entityOf(event),
    resourceUid: uid,
    externalTenantId,
    sequence: n + 1,
    order: [],
    body: renderPayload({ eventId, event, timestamp: at, appUid, data }),
    erasedAt: null,
    webhookUids: [hookUids[0] ?? '', hookOf(hookUids, externalTenantId)],
    workflowId: `event/${eventId}`,
    dispatchedAt: at,
    firstAttempt: null,
    createdAt: at,
  };
}

function tenantOf(n: number): string {
  const draw = drawOf('tenant', n);
  if (draw < 0.5) return hugeTenant;
  return draw < 0.53 ? downTenant : `tenant-${numberOf('small', n, smallTenants)}`;
}

function nameOf(n: number, tenant: string): EventName {
  if (tenant === hugeTenant) return drawOf('name', n) < 0.9 ? 'agent.updated' : 'agent.created';
  return eventNames[numberOf('name', n, eventNames.length)] ?? rareEvent;
}

/** Returns the webhook of a tenant; the first one is that of all tenants. */
export function hookOf(hookUids: readonly string[], tenant: string): string {
  const [, huge = '', down = '', ...others] = hookUids;
  if (tenant === hugeTenant) return huge;
  return tenant === downTenant ? down : (others[tenant.length % others.length] ?? '');
}

function stepsOf(event: EventDocument): [DeliveryKey, DeliveryStep][] {
  const { _id: eventId, appUid, externalTenantId, webhookUids, createdAt } = event;
  return webhookUids.map((webhookUid, index) => {
    const [state, status, errorClass] = endingOf(event, index);
    const now = new Date(createdAt.getTime() + 100);
    const step: DeliveryStep = {
      event: event.event,
      externalTenantId,
      state,
      cancelReason: state === 'cancelled' ? 'discarded' : null,
      isFirst: true,
      attemptsBefore: 0,
      jobUid: null,
      partition: null,
      attempt: { ...attempted, at: createdAt, status, errorClass, state: attemptStateOf(state) },
      nextAttemptAt: state === 'retrying' ? now : null,
      isRateLimited: false,
      now,
    };
    return [{ appUid, eventId, webhookUid }, step];
  });
}

// A delivery that is held or was cancelled had failed before.
function attemptStateOf(state: DeliveryState): AttemptState {
  return state === 'pending' || state === 'held' || state === 'cancelled' ? 'retrying' : state;
}

const attempted: Omit<Attempt, 'at' | 'status' | 'errorClass' | 'state'> = {
  n: 1,
  ms: { total: 43, dns: 4, connect: 11, firstByte: 20 },
  detail: null,
  responseSample: '{"received":true}',
  address: '192.0.2.1',
  trigger: 'event',
};

function endingOf({ _id, externalTenantId }: EventDocument, index: number): Ending {
  const isDown = externalTenantId === downTenant && index === 1;
  const n = _id + String(index);
  if (!isDown && drawOf('failed', n) > 0.035) return ['delivered', 200, null];
  const endings = isDown
    ? downEndings
    : externalTenantId === hugeTenant
      ? hugeEndings
      : otherEndings;
  return endings[numberOf('ending', n, endings.length)] ?? ['delivered', 200, null];
}

/** From 0 to 1, the same for the same arguments. */
function drawOf(what: string, n: number | string): number {
  const digest = createHash('md5').update(`${what}/${n}`).digest();
  return digest.readUInt32BE() / 2 ** 32;
}

function numberOf(what: string, n: number | string, count: number): number {
  return Math.floor(drawOf(what, n) * count);
}
