import { attemptInOrder as attempt } from '../lib/deliveries/attempt-in-order.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { PartitionKey } from '../lib/model/partition.ts';
import { hasFailed, summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import { describeAttempt } from '../lib/temporal/describe-attempt.ts';
import { deliveryFailed } from '../lib/temporal/failures.ts';
import { findSharedFields } from '../lib/events/shared-fields.ts';
import type { ShownStep } from '../lib/temporal/messages.ts';
import { ignoringUserCancel, runActivity } from './run-activity.ts';

/** Takes a step of a partition. Throws it as a failure if a delivery failed for good, so that Temporal shows it red. */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
): Promise<ShownStep> {
  const { step, failed } = await runActivity(async (cancellation) => {
    const bounds = { signal: ignoringUserCancel(cancellation), cancellation };
    const { settled, ...rest } = await attempt(ports, partition, bounds);
    const eventIds = [...rest.waiting, ...settled.map(({ eventId }) => eventId)];
    const shared = await findSharedFields(ports.store, eventIds);
    const shown = { ...rest, settled: summarizeOutcomes(settled, true), ...shared };
    return { step: shown, failed: settled.filter(hasFailed) };
  });
  const [first] = failed;
  if (first === undefined) return step;
  const others = failed.length === 1 ? '' : `; ${failed.length - 1} more failed`;
  const message = `${first.eventId} ${first.state} after ${describeAttempt(first)}${others}`;
  throw deliveryFailed(message, step);
}
