import type { SharedLimit } from '../concurrency/shared-limit.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { SignalTakenByJob } from '../temporal/signal-taken-by-job.ts';
import type { SignalPartition } from '../temporal/signal-partition.ts';
import type { Retention } from '../model/retention.ts';
import type { Sender } from '../egress/sender.ts';
import type { Store } from '../mongo/connect.ts';
import type { WebhookKeys } from '../identity/webhook-keys.ts';
import type { DeliveryRecords } from './delivery-records.ts';

export interface DeliveryPorts {
  /** Names this process in the claims of its early attempts. */
  processUid: string;
  store: Store;
  records: DeliveryRecords;
  sender: Sender;
  /** The limit of first attempts in flight in this process. */
  firstAttemptLimit: SharedLimit;
  signalPartition: SignalPartition;
  signalTakenByJob: SignalTakenByJob;
  secretBox: SecretBox;
  webhookKeys: WebhookKeys;
  clock: Clock;
  /** Returns a number from 0 up to 1. */
  random: () => number;
  /** Whether receivers of traced deliveries get their `traceparent`. */
  sendsTraceparent: boolean;
  retryScheduleMs: readonly number[];
  deactivateAfterMs: number;
  processingOverdueAfterMs: number;
  retention: Retention;
}
