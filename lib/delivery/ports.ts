// What attempts at deliveries need of the world.
import type { Clock } from '../clock.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { PartitionKey } from '../model/partition.ts';
import type { Retention } from '../model/retention.ts';
import type { HttpSender } from '../net/http-sender.ts';
import type { Store } from '../store/connect.ts';
import type { DeliveryRecords } from './delivery-records.ts';

/** Sees to it that the workflow of a partition runs and looks at it once more; rejects when Temporal is away. */
export type SignalPartition = (partition: PartitionKey) => Promise<void>;

export interface DeliveryPorts {
  store: Store;
  records: DeliveryRecords;
  sender: HttpSender;
  signalPartition: SignalPartition;
  secretBox: SecretBox;
  clock: Clock;
  /** Gives a number from 0 up to 1. */
  random: () => number;
  retryScheduleMs: readonly number[];
  /** How long all attempts at a webhook may fail before it is paused, in milliseconds. */
  deactivateAfterMs: number;
  retention: Retention;
}
