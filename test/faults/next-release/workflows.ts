// The workflows of a future release: deliverEvents has one more step, behind a patch.
import { patched, sleep } from '@temporalio/workflow';
import { deliverEvents as deliverAsBefore } from '../../../workflows/deliver-events.ts';
import type { DeliverEventsInput, DeliverySummary } from '../../../lib/temporal/messages.ts';

export { deliverInOrder } from '../../../workflows/deliver-in-order.ts';
export { runJob } from '../../../workflows/run-job.ts';

export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  if (patched('one-more-step')) await sleep(1);
  return deliverAsBefore(input);
}
