// The ports of attempts, for a test installation.
import { SharedLimit } from '../../lib/concurrency/shared-limit.ts';
import { attemptLimits } from '../../lib/limits.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createWebhookKeys } from '../../lib/identity/webhook-keys.ts';
import { createSecretBox } from '../../lib/platform/secret-box.ts';
import { newId } from '../../lib/platform/ids.ts';
import { createDeliveryRecords } from '../../lib/deliveries/delivery-records.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import { TriggerRecorder } from '../../lib/webhooks/trigger-recorder.ts';
import type { Installation } from './installation.ts';

/** Signals no workflow. */
export const noSignals = {
  signalPartition: async (): Promise<void> => undefined,
  signalTakenByJob: async (): Promise<void> => undefined,
};

/** Creates the ports of attempts. `fields` replace the defaults. By default, partitions are not signalled. */
export function deliveryPorts(
  { store, config }: Installation,
  fields: Pick<DeliveryPorts, 'sender'> & Partial<DeliveryPorts>,
): DeliveryPorts {
  const secretBox = createSecretBox(config.sealingKeys);
  const { clock = systemClock } = fields;
  const rotationMs = config.signingKeyRotationMs;
  const { retryScheduleMs, deactivateAfterMs, processingOverdueAfterMs } = config;
  const { retention, sendsTraceparent } = config;
  return {
    processUid: newId('prc'),
    store,
    // Not closed: records that have not been written when the test ends are lost.
    records: createDeliveryRecords(store, new TriggerRecorder(store)),
    ...noSignals,
    firstAttemptLimit: new SharedLimit(attemptLimits.concurrentFirstAttemptsMax),
    secretBox,
    webhookKeys: createWebhookKeys({ store, secretBox, clock, rotationMs }),
    clock,
    random: Math.random,
    sendsTraceparent,
    retryScheduleMs,
    deactivateAfterMs,
    processingOverdueAfterMs,
    retention,
    ...fields,
  };
}
