import { SpanKind } from '@opentelemetry/api';
import type { EventToDispatch } from '../model/event.ts';
import { chooseParent, spanOptions, type SpanParent } from '../telemetry/span-parent.ts';
import { inSpan } from '../telemetry/spans.ts';
import { spanContextOf, toTraceContext } from '../telemetry/trace-context.ts';
import { deliverEventsWorkflow } from '../temporal/names.ts';

interface WorkflowToStart {
  workflowId: string;
  events: readonly EventToDispatch[];
  now: Date;
}

/**
 * Calls `start` in a span and passes its `traceparent`, if a trace of one of the events is recorded. Returns the result
 * of `start`.
 */
export async function traceStart<Result>(
  subject: WorkflowToStart,
  start: (traceparent?: string) => Promise<Result>,
): Promise<Result> {
  const parent = parentOfStart(subject);
  if (parent === null) return start();
  const { workflowId, events } = subject;
  const span = {
    name: `start workflow ${deliverEventsWorkflow}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      'temporal.workflow.type': deliverEventsWorkflow,
      'temporal.workflow.id': workflowId,
      'herald.event.count': events.length,
    },
    ...spanOptions(parent),
  };
  return inSpan(span, (started) => start(toTraceContext(started.spanContext())?.traceparent));
}

// A workflow of several events starts its own trace, because each event has only a part in it.
function parentOfStart({ events, now }: WorkflowToStart): SpanParent | null {
  const changes = events
    .map((event) => spanContextOf(event.trace))
    .filter((parent) => parent !== null);
  const [first] = events;
  const [change] = changes;
  if (first === undefined || change === undefined) return null;
  if (events.length > 1) return { parent: null, linked: changes };
  const ageMs = now.getTime() - first.createdAt.getTime();
  return chooseParent({ change, ageMs, isResent: false, active: null });
}
