// The activity that takes a step along a partition.
import { attemptInOrder as takeStep } from '../lib/deliveries/attempt-in-order.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { PartitionKey } from '../lib/model/partition.ts';
import type { PartitionStep } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/** Attempts the partition's deliveries in their order and tells how the partition goes on. */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
): Promise<PartitionStep> {
  return whileHeartbeating(async (signal) => {
    try {
      return await takeStep(ports, partition, signal);
    } catch (error) {
      throw asFailure(error);
    }
  });
}
