import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { WebhookDocument } from '../model/webhook.ts';
import type { DeliveryPorts } from './ports.ts';

/**
 * Waits until the webhook's rate has room for a request, 2 s at most, and returns null; or returns the time until which
 * the delivery, in the line since, waits. Rejects with the signal's reason.
 */
export async function awaitRate(
  { records, clock }: Pick<DeliveryPorts, 'records' | 'clock'>,
  { _id: webhookUid, ratePerSecond }: Pick<WebhookDocument, '_id' | 'ratePerSecond'>,
  { isInLine, signal }: { isInLine: boolean; signal: AbortSignal },
): Promise<Date | null> {
  if (ratePerSecond === null) return null;
  const { atMs, sends } = await records.takeTime({ webhookUid, ratePerSecond, isInLine, clock });
  if (!sends) return new Date(Math.ceil(atMs));
  // Several attempts wait with one signal.
  setMaxListeners(0, signal);
  try {
    await setTimeout(Math.max(0, Math.ceil(atMs - clock.now().getTime())), undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return null;
}
