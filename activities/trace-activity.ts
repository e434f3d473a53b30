import { Context } from '@temporalio/activity';
import { SpanKind } from '@opentelemetry/api';
import { optionsOf, placeSpan } from '../lib/telemetry/place-span.ts';
import { inSpan } from '../lib/telemetry/spans.ts';
import { placeOf } from '../lib/telemetry/trace-context.ts';
import { runActivity } from './run-activity.ts';

/** As `runActivity`, in a span below the start of its workflow, where that is in a recorded trace. */
export async function traceActivity<T>(
  traceparent: string | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const change = traceparent === undefined ? null : placeOf({ traceparent });
  if (change === null) return runActivity(work);
  const { activityType, attempt, scheduledTimestampMs, workflowExecution } = Context.current().info;
  const ageMs = Date.now() - scheduledTimestampMs;
  const span = {
    name: `activity ${activityType}`,
    kind: SpanKind.CONSUMER,
    attributes: {
      'temporal.activity.type': activityType,
      'temporal.activity.attempt': attempt,
      'temporal.workflow.id': workflowExecution?.workflowId ?? '',
    },
    ...optionsOf(placeSpan({ change, ageMs, isAgain: false, active: null })),
  };
  return inSpan(span, () => runActivity(work));
}
