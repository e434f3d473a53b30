// What the activities share: heartbeats while they work, and the form their own faults take.
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { deliveryLog } from '../lib/platform/logger.ts';
import { heartbeatEveryMs } from '../lib/temporal/heartbeat.ts';

/** Runs `work` and heartbeats meanwhile, so that the server notices when the process is killed. */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Logs our own fault and turns it into a failure without its stack or cause, because histories
 * hold nothing private. Temporal repeats it. What was cut off, by a stop of the process or because nobody
 * wants it any more, is no fault: the SDK tells the server so.
 */
export function asFailure(error: unknown): ApplicationFailure | CancelledFailure {
  if (error instanceof ApplicationFailure) return error;
  const { activityId } = Context.current().info;
  if (error instanceof CancelledFailure) {
    deliveryLog.info({ activityId, reason: error.message }, 'delivery.interrupted');
    return error;
  }
  deliveryLog.error({ err: error, activityId }, 'delivery.faulted');
  return ApplicationFailure.retryable('the service could not make the attempt', 'OwnFault');
}
