import { SharedLimit } from '../lib/concurrency/shared-limit.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import { leaveForLater } from '../lib/jobs/page.ts';
import { takeJobPage as take } from '../lib/jobs/take-job-page.ts';
import { jobLimits } from '../lib/limits.ts';
import type { JobPage, TakeJobPageInput } from '../lib/temporal/job-messages.ts';
import { runActivity } from './run-activity.ts';

/** Creates the activity. A page of an application that already has its share of them in this process is left for later. */
export function createTakeJobPage(
  ports: DeliveryPorts,
): (input: TakeJobPageInput) => Promise<JobPage> {
  const pages = new SharedLimit(jobLimits.concurrentPagesMax);
  return async (input) => {
    const { appUid = '' } = input;
    if (!pages.hasRoom(appUid)) return runActivity(() => leaveForLater(ports.store, input));
    pages.take(appUid);
    try {
      return await runActivity(() => take(ports, input));
    } finally {
      pages.release(appUid);
    }
  };
}
