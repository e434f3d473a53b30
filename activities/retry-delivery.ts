// The activity that retries one delivery until it is settled; the server waits between its attempts.
import { Context, cancellationSignal } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { attemptDelivery } from '../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import { formatDuration } from '../lib/duration.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

// Those that got no turn together do not come back together, and the longer one has been due in vain, the
// longer it stays away: about as long again, up to eight times as long as at first.
const turnAgainMsMin = 4_000;
const turnAgainMsSpread = 8_000;
const turnAgainMsMean = turnAgainMsMin + turnAgainMsSpread / 2;
const turnAgainTimesMax = 8;

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
  ports: Pick<DeliveryPorts, 'clock' | 'random'>,
  outcome: DeliveryOutcome,
): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  const { nextAttemptAt, host } = outcome;
  if (nextAttemptAt === null) {
    const nextRetryDelay = untilNextTurnMs(ports, outcome);
    const message =
      host === null
        ? 'another process has the attempt in hand'
        : `too many requests to ${host} are under way`;
    return ApplicationFailure.create({ type: 'NoTurn', message, category, nextRetryDelay });
  }
  const untilDueMs = Date.parse(nextAttemptAt) - ports.clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const nextRetryDelay = Math.max(1_000, untilDueMs);
  const message = `${describe(outcome)}; the next is due in ${formatDuration(nextRetryDelay)}`;
  return ApplicationFailure.create({ type: 'RetryDue', message, category, nextRetryDelay });
}

/** Gives how long what got no turn stays away. The count of calls says nothing: most were for other reasons. */
function untilNextTurnMs(
  { clock, random }: Pick<DeliveryPorts, 'clock' | 'random'>,
  { dueAt }: DeliveryOutcome,
): number {
  // A first attempt has been due since it was left to the retries.
  const leftAtMs = Context.current().info.scheduledTimestampMs;
  const dueAtMs = dueAt === undefined ? leftAtMs : Math.max(leftAtMs, Date.parse(dueAt));
  const times = (clock.now().getTime() - dueAtMs) / turnAgainMsMean;
  const spreadMs = turnAgainMsMin + random() * turnAgainMsSpread;
  return Math.round(spreadMs * Math.min(turnAgainTimesMax, Math.max(1, times)));
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
