// The activity that drops what a webhook held, for a resume that does not want it.
import type { DeliveryPorts } from '../lib/delivery/attempt-delivery.ts';
import { discardHeld } from '../lib/store/deliveries.ts';
import type { RedeliverInput } from '../lib/temporal/messages.ts';

/** Cancels the held deliveries and gives how many they were. Repeating it finds none. */
export async function discardHeldDeliveries(
  { store, clock }: Pick<DeliveryPorts, 'store' | 'clock'>,
  { appUid, webhookUid }: RedeliverInput,
): Promise<number> {
  return discardHeld(store, { appUid, webhookUid }, clock.now());
}
