import { SpanKind } from '@opentelemetry/api';
import type { EventToDispatch } from '../model/event.ts';
import { optionsOf, placeSpan, type SpanPlace } from '../telemetry/place-span.ts';
import { inSpan } from '../telemetry/spans.ts';
import { placeOf, traceOf } from '../telemetry/trace-context.ts';
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
  const place = placeOfStart(subject);
  if (place === null) return start();
  const { workflowId, events } = subject;
  const span = {
    name: `start workflow ${deliverEventsWorkflow}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      'temporal.workflow.type': deliverEventsWorkflow,
      'temporal.workflow.id': workflowId,
      'herald.event.count': events.length,
    },
    ...optionsOf(place),
  };
  return inSpan(span, (started) => start(traceOf(started.spanContext())?.traceparent));
}

// A workflow of several events starts its own trace, because each event has only a part in it.
function placeOfStart({ events, now }: WorkflowToStart): SpanPlace | null {
  const changes = events.map((event) => placeOf(event.trace)).filter((place) => place !== null);
  const [first] = events;
  const [change] = changes;
  if (first === undefined || change === undefined) return null;
  if (events.length > 1) return { parent: null, linked: changes };
  const ageMs = now.getTime() - first.createdAt.getTime();
  return placeSpan({ change, ageMs, isAgain: false, active: null });
}
