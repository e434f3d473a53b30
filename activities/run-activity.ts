import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { deliveryLog } from '../lib/platform/logger.ts';
import { heartbeatEveryMs } from '../lib/temporal/heartbeat.ts';

/** Runs `work` with heartbeats, so that the server notices a killed process. Throws faults as failures. */
export async function runActivity<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // The SDK beats for a local activity, by the task of its workflow.
  const beat = (): void => {
    if (!context.info.isLocal) context.heartbeat();
  };
  const timer = setInterval(beat, heartbeatEveryMs);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    throw asFailure(error, context.info);
  } finally {
    clearInterval(timer);
  }
}

/** Logs a fault and strips its stack and cause: histories hold nothing private. A cancellation is no fault. */
function asFailure(
  error: unknown,
  { activityType, activityId }: Info,
): ApplicationFailure | CancelledFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof CancelledFailure) {
    deliveryLog.info({ activityType, activityId, reason: error.message }, 'activity.interrupted');
    return error;
  }
  deliveryLog.error({ err: error, activityType, activityId }, 'activity.faulted');
  return ApplicationFailure.retryable(`${activityType} failed; its worker logged why`, 'OwnFault');
}

/** Ignores an operator's cancel of the workflow, so that the attempt under way is made and recorded. */
export function unlessAskedFor(cancellation: AbortSignal): AbortSignal {
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
