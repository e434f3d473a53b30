// The activity that retries one delivery until it is settled; the server waits between its attempts.
import { Context, cancellationSignal } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { attemptDelivery } from '../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { DeliveryOutcome } from '../lib/delivery/outcome.ts';
import { formatDuration } from '../lib/duration.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

// Those that got no turn together do not come back together, and the more come for a receiver, the longer
// each of them stays away: up to eight times as long.
const turnAgainMsMin = 4_000;
const turnAgainMsSpread = 8_000;
const turnAgainDoublingsMax = 3;

/**
 * Makes the next attempt if it is due. Gives the outcome once the delivery is settled; until then
 * it throws a failure that tells the server when to call again. That failure is BENIGN: a receiver
 * that is down or slow is no fault of ours and must not count as one in logs and metrics. Cancelled,
 * it ends after the attempt under way.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
): Promise<DeliveryOutcome> {
  const outcome = await whileHeartbeating(async (signal) => {
    try {
      const { inLane = false, redeliveryUid = null, ...key } = input;
      const stop = unlessAskedFor(signal);
      const options = { inLane, redeliveryUid, signal: stop } as const;
      return await attemptDelivery(ports, key, options);
    } catch (error) {
      throw asFailure(error);
    }
  });
  if (outcome.state !== 'retrying') return outcome;
  cancellationSignal().throwIfAborted();
  throw callAgain(ports, outcome);
}

/** Makes the failure that tells the server to call again: when the next attempt is due, or soon for a turn. */
function callAgain(
  { clock, random }: Pick<DeliveryPorts, 'clock' | 'random'>,
  outcome: DeliveryOutcome,
): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  const { nextAttemptAt } = outcome;
  if (nextAttemptAt === null) {
    const doublings = Math.min(turnAgainDoublingsMax, Context.current().info.attempt - 1);
    const nextRetryDelay = Math.round(
      (turnAgainMsMin + random() * turnAgainMsSpread) * 2 ** doublings,
    );
    const message = `too many requests to ${outcome.host ?? 'the receiver'} are under way`;
    return ApplicationFailure.create({ type: 'NoTurn', message, category, nextRetryDelay });
  }
  const untilDueMs = Date.parse(nextAttemptAt) - clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const nextRetryDelay = Math.max(1_000, untilDueMs);
  const message = `${describe(outcome)}; the next is due in ${formatDuration(nextRetryDelay)}`;
  return ApplicationFailure.create({ type: 'RetryDue', message, category, nextRetryDelay });
}

/**
 * Gives a signal that does not abort when the workflow asks for the activity's end: an attempt under way
 * is then made and recorded, where cutting it off would send it again from the next run of a lane.
 */
function unlessAskedFor(cancellation: AbortSignal): AbortSignal {
  const stop = new AbortController();
  const pass = (): void => {
    const reason: unknown = cancellation.reason;
    const isAskedFor = reason instanceof CancelledFailure && reason.message === 'CANCELLED';
    if (!isAskedFor) stop.abort(reason);
  };
  cancellation.addEventListener('abort', pass, { once: true });
  if (cancellation.aborted) pass();
  return stop.signal;
}

/** Says which attempt ended how, for operators: the UI's own count says nothing of the schedule's end. */
function describe(outcome: DeliveryOutcome): string {
  const { attemptCount, attemptsMax, host, status, errorClass } = outcome;
  const attempt = `attempt ${attemptCount}${attemptsMax === null ? '' : ` of ${attemptsMax}`}`;
  const ending = status === null ? `a ${errorClass} fault` : `status ${status}`;
  return `${attempt}${host === null ? '' : ` at ${host}`} ended with ${ending}`;
}
