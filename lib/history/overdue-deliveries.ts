import { jobLimits } from '../limits.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { Store } from '../mongo/connect.ts';

/** The wait after which a slot or retry is overdue. Workers that are only busy catch up before. */
const overdueMs = 60_000;
const checkedMax = jobLimits.countedDeliveriesMax;

/**
 * Counts deliveries whose rate-limit slot or retry is overdue by more than a minute although nothing holds them up:
 * their webhook is active and not failing. Checks the 10,000 that have been overdue for longest.
 */
export async function countOverdue({ deliveries, webhooks }: Store, now: Date): Promise<number> {
  const before = new Date(now.getTime() - overdueMs);
  // MongoDB uses the partial index only with the redundant `$type`.
  const overdue = await deliveries
    .find({ nextAttemptAt: { $lt: before, $type: 'date' } }, { hint: 'due' })
    .project<Pick<DeliveryDocument, 'webhookUid'>>({ _id: 0, webhookUid: 1 })
    .sort({ nextAttemptAt: 1 })
    .limit(checkedMax)
    .toArray();
  if (overdue.length === 0) return 0;
  const webhookUids = [...new Set(overdue.map(({ webhookUid }) => webhookUid))];
  const well = await webhooks
    .find({ _id: { $in: webhookUids }, active: true, failingSince: null })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  const wellUids = new Set(well.map(({ _id }) => _id));
  return overdue.filter(({ webhookUid }) => wellUids.has(webhookUid)).length;
}
