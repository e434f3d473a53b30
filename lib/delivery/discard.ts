// Drops what waits for a webhook, a page at a time.
import { dropHeldAhead, dropOpen, findDropped, leaveLanes } from '../store/held-deliveries.ts';
import { laneOf } from '../store/lanes.ts';
import type { DeliveryPorts } from './ports.ts';

// Small enough that a page takes well under a second and blocks nobody.
const droppedPerPageMax = 1_000;

/** What to drop: what waited for the webhook when the discard got its uid. */
export interface Discard {
  appUid: string;
  webhookUid: string;
  uid: string;
}

/**
 * Drops a page of what waits for a webhook, for a retry or in a lane too. Gives true when it was the
 * last page.
 */
export async function discardPage(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>,
  { appUid, webhookUid, uid }: Discard,
): Promise<boolean> {
  const { store, clock } = ports;
  const page = { appUid, webhookUid, uid, countMax: droppedPerPageMax };
  const now = clock.now();
  const counts = [await dropOpen(store, page, now), await dropHeldAhead(store, page, now)];
  const areOut = await leaveLanesOf(ports, { appUid, webhookUid });
  return areOut && counts.every((count) => count < droppedPerPageMax);
}

/**
 * Takes a page of what was dropped out of its lanes. A lane that waits for the retry of a dropped
 * delivery is told before that leaves the lane, so that a repeat after a crash finds it and tells it
 * again. Gives true when it was the last page.
 */
export async function leaveLanesOf(
  { store, wakeLane }: Pick<DeliveryPorts, 'store' | 'wakeLane'>,
  of: Parameters<typeof findDropped>[1],
): Promise<boolean> {
  const dropped = await findDropped(store, of, droppedPerPageMax);
  await Promise.all(
    dropped.map(({ appUid, webhookUid, eventId, lane }) =>
      wakeLane({ lane: laneOf({ appUid, ...lane }, webhookUid), letGo: eventId }),
    ),
  );
  await leaveLanes(
    store,
    dropped.map((delivery) => delivery._id),
  );
  return dropped.length < droppedPerPageMax;
}
