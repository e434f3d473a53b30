// The activity that takes a page of a job.
import { takeJobPage as takePage } from '../lib/deliveries/job-pages.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { JobPage, TakeJobPageInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/** Returns the deliveries that a page of a job has taken. Repeating it returns the same ones. */
export async function takeJobPage(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'signalPartition' | 'retention'>,
  input: TakeJobPageInput,
): Promise<JobPage> {
  return whileHeartbeating(async () => {
    try {
      return await takePage(ports, input);
    } catch (error) {
      throw asFailure(error);
    }
  });
}
