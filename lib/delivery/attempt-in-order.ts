// A step along a lane: its deliveries one after the other, until one has to be tried again.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import type { LaneKey } from '../model/lane.ts';
import { leaveLanes } from '../store/held-deliveries.ts';
import { findBefore, findHead, findInLane, holdInLane, waitInLane } from '../store/lanes.ts';
import type { LaneStep } from '../temporal/messages.ts';
import { idsPerSearchAttributeMax } from '../temporal/names.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';

// Both keep a step well within the time that its activity has.
const attemptsPerStepMax = 100;
const stepMsMax = 15_000;

/**
 * Attempts what is in a lane, the lowest sequence first, each after the one before it is settled.
 * Everything that a step needs to know is in the database, so repeating it after a crash goes on where
 * it stopped: an attempt that was recorded is not made again.
 */
export async function attemptInOrder(
  ports: DeliveryPorts,
  lane: LaneKey,
  signal: AbortSignal,
): Promise<LaneStep> {
  const until = performance.now() + stepMsMax;
  const settled: DeliveryOutcome[] = [];
  const inLane = (): Promise<string[]> => findInLane(ports.store, lane, idsPerSearchAttributeMax);
  for (let count = 0; count < attemptsPerStepMax && performance.now() < until; count += 1) {
    const head = await findHead(ports.store, lane);
    if (head === null || head.lane === null) return { next: 'empty', head: null, settled };
    if (head.state === 'cancelled') {
      // Dropped where it stood.
      await leaveLanes(ports.store, [head._id]);
      continue;
    }
    // A head that was tried had its turn, and keeps it until it is settled. One that is held here lacks
    // the second look at its webhook.
    if (head.state === 'waiting' || head.state === 'held') {
      const before = await findBefore(ports.store, lane, head.lane.sequence);
      const webhook = before === 'held' ? await ports.records.readWebhook(head) : null;
      if (webhook?.active === false && (await holdToo(ports, head))) continue;
      // Of a webhook that was deleted the held ones wait for nothing, and this one is cancelled now.
      const isBehind = before === 'underway' || webhook !== null;
      if (isBehind) return { next: 'behind', head: null, settled, waiting: await inLane() };
    }
    const outcome = await attemptHead(ports, head, signal);
    if (outcome.state === 'retrying') {
      const { eventId, redeliveryUid } = head;
      const waiting = await inLane();
      return { next: 'retrying', head: { eventId, redeliveryUid }, settled, waiting };
    }
    settled.push(outcome);
  }
  return { next: 'more', head: null, settled };
}

async function attemptHead(
  ports: DeliveryPorts,
  head: DeliveryDocument,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { appUid, eventId, webhookUid, redeliveryUid } = head;
  const key: DeliveryKey = { appUid, eventId, webhookUid };
  return attemptDelivery(ports, key, {
    redeliveryUid,
    inLane: true,
    avoidsSlow: true,
    signal,
  });
}

/** Holds a delivery behind a held one. Gives false when the webhook was resumed meanwhile. */
async function holdToo(ports: DeliveryPorts, head: DeliveryDocument): Promise<boolean> {
  await holdInLane(ports.store, head, ports.clock.now());
  // A resume since then may have looked for held deliveries before this one was.
  const webhook = await ports.records.readWebhook(head);
  if (webhook?.active !== false) {
    await waitInLane(ports.store, head, ports.clock.now());
    return false;
  }
  // Not before: a repeat of this step finds it by its lane.
  await leaveLanes(ports.store, [head._id]);
  return true;
}
