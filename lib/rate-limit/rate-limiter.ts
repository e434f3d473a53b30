import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { coalesce } from '../concurrency/coalesce.ts';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { attemptLimits } from '../limits.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Clock } from '../platform/clock.ts';
import { hourMs } from '../platform/duration.ts';
import { type Store } from '../mongo/connect.ts';
import type { Rate } from './slot.ts';

interface SlotRequest {
  webhook: Pick<WebhookDocument, 'appUid' | 'updatedAt'>;
  rate: Rate;
  clock: Clock;
}

/**
 * Reserves the next slot of the rate. Waits for a slot within a second and returns null; otherwise returns the time of
 * the slot, at which the delivery may be sent. Rejects with the signal's reason.
 */
export type AwaitSlot = (request: SlotRequest, signal?: AbortSignal) => Promise<Date | null>;

const keptMs = hourMs;
// Requests of a process for one limiter share an update.
const updates = { itemsPerCallMax: 1_000, concurrentCallsMax: 1 };

/** Creates a rate limiter that is shared by all processes. */
export function createRateLimiter(store: Store): AwaitSlot {
  const reserve = coalesce(
    updates,
    (requests: readonly SlotRequest[]) => reserveSlots(store, requests),
    ({ rate }) => rate.limiterId,
  );
  const waits = new SharedLimit(attemptLimits.concurrentRateWaitsMax);
  return async (request, signal) => {
    const { appUid } = request.webhook;
    const mayWait = waits.hasRoom(appUid);
    const count = mayWait ? 1 : 0;
    waits.take(appUid, count);
    try {
      const slotMs = await reserve(request);
      const waitMs = slotMs - request.clock.now().getTime();
      if (waitMs > (mayWait ? attemptLimits.rateWaitMsMax : 0)) return new Date(Math.ceil(slotMs));
      await waitOut(waitMs, signal);
      return null;
    } finally {
      waits.release(appUid, count);
    }
  };
}

async function waitOut(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  // Several attempts wait with one signal.
  if (signal !== undefined) setMaxListeners(0, signal);
  try {
    await setTimeout(Math.max(0, Math.ceil(waitMs)), undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function reserveSlots(store: Store, requests: readonly SlotRequest[]): Promise<number[]> {
  const [{ webhook, rate, clock }] = requests as [SlotRequest];
  const count = requests.length;
  const intervalMs = 1_000 / rate.perSecond;
  const nowMs = clock.now().getTime();
  const { updatedAt } = webhook;
  const isChanged = { $lt: ['$webhookUpdatedAt', updatedAt] };
  const fromMs = { $cond: [isChanged, nowMs, { $max: [nowMs, '$nextSlotMs'] }] };
  const nextSlotMs = { $add: [fromMs, count * intervalMs] };
  const webhookUpdatedAt = { $max: ['$webhookUpdatedAt', updatedAt] };
  const limiter = await store.rateLimiters.findOneAndUpdate(
    { _id: rate.limiterId },
    [
      { $set: { nextSlotMs, webhookUpdatedAt } },
      { $set: { expiresAt: { $toDate: { $add: ['$nextSlotMs', keptMs] } } } },
    ],
    // With `w: 1`: a lost reservation only costs a burst.
    { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
  );
  if (limiter === null) throw new Error(`no slots were reserved for ${rate.limiterId}`);
  return requests.map((_, index) => limiter.nextSlotMs - (count - index) * intervalMs);
}
