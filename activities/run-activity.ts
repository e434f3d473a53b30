import { type SpanContext, SpanKind } from '@opentelemetry/api';
import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { deliveryLog } from '../lib/platform/logger.ts';
import { chooseParent, spanOptions } from '../lib/telemetry/span-parent.ts';
import { inSpan } from '../lib/telemetry/spans.ts';
import { spanContextOf } from '../lib/telemetry/trace-context.ts';
import { withoutStack } from '../lib/temporal/failures.ts';
import { heartbeatEveryMs } from '../lib/temporal/heartbeat.ts';

/**
 * Runs `work` with heartbeats, so that Temporal notices a killed process. With the `traceparent` of a recorded trace,
 * runs it in a span below the start of its workflow. Throws faults as failures.
 */
export async function runActivity<T>(
  work: (signal: AbortSignal) => Promise<T>,
  traceparent?: string,
): Promise<T> {
  const change = traceparent === undefined ? null : spanContextOf({ traceparent });
  return change === null
    ? withHeartbeats(work)
    : inSpan(spanOfActivity(change), () => withHeartbeats(work));
}

async function withHeartbeats<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // For local activities the SDK sends heartbeats with the workflow task.
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

function spanOfActivity(change: SpanContext) {
  const { activityType, attempt, scheduledTimestampMs, workflowExecution } = Context.current().info;
  const ageMs = Date.now() - scheduledTimestampMs;
  return {
    name: `activity ${activityType}`,
    kind: SpanKind.CONSUMER,
    attributes: {
      'temporal.activity.type': activityType,
      'temporal.activity.attempt': attempt,
      'temporal.workflow.id': workflowExecution?.workflowId ?? '',
    },
    ...spanOptions(chooseParent({ change, ageMs, isResent: false, active: null })),
  };
}

/** Logs a fault, and strips its stack and cause to keep histories free of private data. A cancellation is no fault. */
function asFailure(
  error: unknown,
  { activityType, activityId }: Info,
): ApplicationFailure | CancelledFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof CancelledFailure) {
    error.stack = '';
    deliveryLog.info({ activityType, activityId, reason: error.message }, 'activity.interrupted');
    return error;
  }
  deliveryLog.error({ err: error, activityType, activityId }, 'activity.faulted');
  const message = `${activityType} failed; its worker logged why`;
  return withoutStack(ApplicationFailure.retryable(message, 'OwnFault'));
}

/** Returns a signal that ignores an operator's cancel of the workflow, so that the attempt in flight is recorded. */
export function ignoringUserCancel(cancellation: AbortSignal): AbortSignal {
  const stop = new AbortController();
  const pass = (): void => {
    const reason: unknown = cancellation.reason;
    const isUserCancel = reason instanceof CancelledFailure && reason.message === 'CANCELLED';
    if (!isUserCancel) stop.abort(reason);
  };
  cancellation.addEventListener('abort', pass, { once: true });
  if (cancellation.aborted) pass();
  return stop.signal;
}
