// What both activities share: heartbeats while they work, and the form their own faults take.
import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { deliveryLog } from '../lib/logger.ts';

const heartbeatEveryMs = 1_000;

/**
 * Runs `work` and heartbeats each second, so that the server notices within three seconds when the
 * process is killed. A quick attempt is over before the first beat and costs none.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // Each of up to 100 deliveries listens to the one signal: that many listeners are no leak.
  setMaxListeners(0, context.cancellationSignal);
  const timer = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Logs our own fault and turns it into a failure without its stack or cause, because histories
 * hold nothing private. Temporal repeats it; only a missing event is past mending.
 */
export function asFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  deliveryLog.error(
    { err: error, activityId: Context.current().info.activityId },
    'delivery.faulted',
  );
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'event_missing'
    ? ApplicationFailure.nonRetryable('the event is not in the database', 'EventMissing')
    : ApplicationFailure.retryable('the service could not make the attempt', 'OwnFault');
}
