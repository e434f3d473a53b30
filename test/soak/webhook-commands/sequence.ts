// Runs one sequence and judges it.
import { sendableReasons } from '../../../lib/model/delivery-state.ts';
import { type Real, register, replay, set } from './calls.ts';
import { findBadAnswers } from './answers.ts';
import { findFaults } from './judge.ts';
import type { Hook, Model } from './model.ts';
import { untilQuiet } from './quiet.ts';
import { deliveryOf, type Reading } from './reading.ts';
import { timelineOf } from './timeline.ts';

/** Registers the two webhooks that a sequence starts with. */
export async function begin(model: Model, real: Real): Promise<void> {
  await register(model, real, { slot: 0, ordering: 'resource' });
  await register(model, real, { slot: 1, ordering: 'parallel' });
}

/**
 * Lets everything finish, with responses of 200 and all webhooks active, and judges it. Then a replay of failed
 * deliveries must send exactly those. Throws with the faults and the timeline.
 */
export async function finish(model: Model, real: Real): Promise<void> {
  await Promise.allSettled(model.inFlight);
  real.answers.clear();
  await Promise.all(model.slots.map((hook) => set(model, real, { hook, active: true })));
  const { reading, owed } = await untilQuiet(model, real);
  const faults = [...owed, ...findBadAnswers(model), ...findFaults(model, reading)];
  if (faults.length === 0) {
    for (const hook of model.slots)
      faults.push(...(await replayFailed(model, real, { hook, reading })));
  }
  if (faults.length === 0) return;
  throw new Error([...faults, '', ...timelineOf(model, reading)].join('\n'));
}

const failedStates = ['exhausted', 'cancelled'];

/**
 * Replays "all that failed" to a webhook without other calls: its dry run, its `releasedCount` and the requests
 * match the deliveries shown as failed, except erased ones, each once.
 */
async function replayFailed(
  model: Model,
  real: Real,
  { hook, reading }: { hook: Hook; reading: Reading },
): Promise<string[]> {
  const failed = model.reports.filter(({ eventId }) => {
    const isErased = reading.events.get(eventId)?.erasedAt !== null;
    return !isErased && failedStates.includes(deliveryOf(reading, eventId, hook)?.state ?? '');
  });
  const expected = failed.map(({ eventId }) => eventId);
  const since = new Date(model.beganMs).toISOString();
  const dryRun = await real.client.call('POST', `/webhooks/${hook.uid}/replays`, {
    body: { since, states: failedStates, cancelReasons: sendableReasons, dryRun: true },
  });
  const counted = Number(dryRun.body['count']);
  if (counted !== expected.length)
    return [`${hook.path}: dry run ${counted}, ${expected.length} failed`];
  if (counted === 0) return [];
  return replayNow(model, real, { hook, expected });
}

/** Replays the failed deliveries of a webhook, and reports the faults. */
async function replayNow(
  model: Model,
  real: Real,
  { hook, expected }: { hook: Hook; expected: string[] },
): Promise<string[]> {
  const before = model.receipts.length;
  const asked = { hook, sinceMs: model.beganMs, states: failedStates, perSecond: 100 };
  const { uid } = await replay(model, real, asked);
  const { reading, owed } = await untilQuiet(model, real);
  const released = reading.replays.get(uid)?.releasedCount;
  const sent = model.receipts.slice(before).map(({ eventId }) => eventId);
  const faults = [...owed];
  if (released !== expected.length) {
    faults.push(`${hook.path}: ${released} of ${expected.length} released`);
  }
  if (sent.toSorted().join() !== expected.toSorted().join()) {
    faults.push(`${hook.path}: sent ${sent.join()} for ${expected.join()}`);
  }
  const isTaken = (eventId: string): boolean =>
    deliveryOf(reading, eventId, hook)?.state === 'delivered';
  if (!expected.every(isTaken)) faults.push(`${hook.path}: replayed and not delivered`);
  return faults;
}
