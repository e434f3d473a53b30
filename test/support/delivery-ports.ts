// The ports of attempts, for an installation of a test.
import { SharedLimit } from '../../lib/concurrency/shared-limit.ts';
import { attemptLimits } from '../../lib/limits.ts';
import { systemClock } from '../../lib/platform/clock.ts';
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

/** Makes the ports of attempts; `fields` replace the defaults. Partitions are not signalled by default. */
export function deliveryPorts(
  { store, config }: Installation,
  fields: Pick<DeliveryPorts, 'sender'> & Partial<DeliveryPorts>,
): DeliveryPorts {
  const { retryScheduleMs, deactivateAfterMs, retention, sendsTraceparent } = config;
  return {
    processUid: newId('prc'),
    store,
    // Not closed: what it has not written when the test ends is lost.
    records: createDeliveryRecords(store, new TriggerRecorder(store)),
    ...noSignals,
    firstAttempts: new SharedLimit(attemptLimits.concurrentFirstAttemptsMax),
    secretBox: createSecretBox(config.sealingKeys),
    clock: systemClock,
    random: Math.random,
    sendsTraceparent,
    retryScheduleMs,
    deactivateAfterMs,
    retention,
    ...fields,
  };
}
