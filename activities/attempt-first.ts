import { sleep } from '@temporalio/activity';
import { attemptDelivery, leftToRetries } from '../lib/deliveries/attempt-delivery.ts';
import { jobLimits } from '../lib/limits.ts';
import type { AttemptCaller } from '../lib/deliveries/decide.ts';
import type { LaterOutcome } from '../lib/model/delivery-outcome.ts';
import type { EarlyAttempts } from '../lib/deliveries/early-attempts.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import { wakePartition } from '../lib/order/wake-partition.ts';
import { summarizeOutcomes } from '../lib/temporal/delivery-summary.ts';
import type { AttemptFirstInput, FirstAttempts } from '../lib/temporal/messages.ts';
import { runActivity } from './run-activity.ts';

/**
 * Attempts deliveries concurrently, or uses the results of early attempts. Those of a job's page are spread over the
 * time until the next page. Throttled deliveries, and those beyond the limit of the process, are left to the retries.
 * Throws a fault of our own only after all have ended, so that a repeat finds the others recorded.
 */
export async function attemptFirst(
  ports: DeliveryPorts,
  input: AttemptFirstInput,
  earlyAttempts: EarlyAttempts | null,
): Promise<FirstAttempts> {
  const { deliveries, jobUid } = input;
  return runActivity(async (signal) => {
    const options = { caller: callerOf(input), signal };
    const results = await Promise.allSettled(
      deliveries.map(async (key, index) => {
        const { appUid } = key;
        // Early attempts exist only for new events.
        const made = jobUid === undefined ? await earlyAttempts?.take(key) : null;
        if (made != null) return made;
        // If the attempts of a page began together, they would delay the deliveries of others.
        const turn = index / deliveries.length;
        if (jobUid !== undefined) await sleep(turn * jobLimits.pageEveryMs);
        const attempted = ports.firstAttemptLimit.runIfRoom(appUid, async () => {
          const outcome = await attemptDelivery(ports, key, options);
          await wakePartition(ports, outcome);
          return outcome;
        });
        return attempted ?? leftToRetries(key, ports.clock.now());
      }),
    );
    const outcomes = results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    return {
      settled: summarizeOutcomes(
        outcomes.filter(({ state }) => state !== 'later'),
        input.isEachShown,
      ),
      later: outcomes.filter((outcome): outcome is LaterOutcome => outcome.state === 'later'),
    };
  }, input.trace);
}

/** Returns the caller of an attempt: the job of the page, or the events' own workflow. */
export function callerOf({ jobUid }: Pick<AttemptFirstInput, 'jobUid'>): AttemptCaller {
  return jobUid === undefined ? { kind: 'event' } : { kind: 'job', jobUid };
}
