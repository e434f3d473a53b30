import { jobLimits } from '../limits.ts';
import { type DeliveryState, deliveryStates } from '../model/delivery-state.ts';
import type { Store } from '../mongo/connect.ts';

const { countedDeliveriesMax: countMax } = jobLimits;

/** The deliveries of a replay or sync by their present state. */
export type JobOutcomes = Record<DeliveryState, number>;

/** Counts the deliveries that a replay or sync requeued last, up to 10,000 in each state. */
export async function countOutcomes({ deliveries }: Store, jobUid: string): Promise<JobOutcomes> {
  const counts = deliveryStates.map(async (state) => {
    const options = { limit: countMax, hint: 'requeuedBy' };
    return [state, await deliveries.countDocuments({ requeuedBy: jobUid, state }, options)];
  });
  return Object.fromEntries(await Promise.all(counts)) as JobOutcomes;
}
