// The workflow that a schedule starts each hour: it removes what is old, in bounded batches.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { TidyUpTotals } from '../lib/temporal/messages.ts';
import { tidyUpBatch } from './activity-options.ts';

const batchesPerRunMax = 500;

const nothing: TidyUpTotals = {
  expired: 0,
  deliveries: 0,
  events: 0,
  redeliveries: 0,
  erasures: 0,
  auditRows: 0,
  erased: 0,
};

/**
 * Goes on until nothing old is left, from the old event `from` and what was held later than `heldFromMs`
 * on. Gives how much went.
 */
export async function tidyUp(
  totals: TidyUpTotals = nothing,
  from: string = '',
  heldFromMs?: number,
): Promise<TidyUpTotals> {
  let sum = totals;
  let after = from;
  let heldAfterMs = heldFromMs;
  for (let count = 0; count < batchesPerRunMax; count += 1) {
    const { more, waitMs, ...batch } = await tidyUpBatch({ after, heldAfterMs });
    sum = {
      expired: sum.expired + batch.expired,
      deliveries: sum.deliveries + batch.deliveries,
      events: sum.events + batch.events,
      redeliveries: sum.redeliveries + batch.redeliveries,
      erasures: sum.erasures + batch.erasures,
      auditRows: sum.auditRows + batch.auditRows,
      erased: sum.erased + batch.erased,
    };
    ({ after, heldAfterMs } = batch);
    if (more) continue;
    if (waitMs === undefined) return sum;
    // Only runs from before erasures had workflows of their own come here.
    await sleep(waitMs);
  }
  return continueAsNew<typeof tidyUp>(sum, after, heldAfterMs);
}
