// Drops what waits for a webhook, a page at a time.
import { dropOpen, findDropped, leaveLanes } from '../store/held-deliveries.ts';
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
 * last page. A lane that waits for the retry of a dropped delivery is told before that leaves the
 * lane, so that a repeat after a crash finds it and tells it again.
 */
export async function discardPage(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>,
  { appUid, webhookUid, uid }: Discard,
): Promise<boolean> {
  const { store, clock, wakeLane } = ports;
  const page = { appUid, webhookUid, uid, countMax: droppedPerPageMax };
  const count = await dropOpen(store, page, clock.now());
  const dropped = await findDropped(store, { appUid, webhookUid });
  await Promise.all(
    dropped.map(({ eventId, lane }) =>
      wakeLane({ lane: laneOf({ appUid, ...lane }, webhookUid), letGo: eventId }),
    ),
  );
  await leaveLanes(
    store,
    dropped.map((delivery) => delivery._id),
  );
  return count < droppedPerPageMax;
}
