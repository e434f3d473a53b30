// The activity that finds what a webhook held, a page at a time.
import type { Store } from '../lib/store/connect.ts';
import { findHeld } from '../lib/store/deliveries.ts';
import { releasedPerSecondMax } from '../lib/temporal/messages.ts';
import type { HeldPage, RedeliverInput } from '../lib/temporal/messages.ts';

/** Gives the next held deliveries; none when the webhook is paused again or deleted. */
export async function findHeldDeliveries(store: Store, input: RedeliverInput): Promise<HeldPage> {
  const { appUid, webhookUid, after } = input;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid, active: true });
  if (webhook === null) return { eventIds: [], last: after };
  const options = { after, countMax: releasedPerSecondMax };
  const held = await findHeld(store, { appUid, webhookUid }, options);
  return { eventIds: held.map(({ eventId }) => eventId), last: held.at(-1)?.uid ?? after };
}
