import { SpanStatusCode } from '@opentelemetry/api';
import type { InjectedSinks } from '@temporalio/worker';
import { optionsOf, placeSpan } from '../lib/telemetry/place-span.ts';
import { startSpan } from '../lib/telemetry/spans.ts';
import { placeOf } from '../lib/telemetry/trace-context.ts';
import type { TraceSinks } from '../lib/temporal/messages.ts';

/** Records the span of a workflow at its end: only then is it complete, possibly in another process. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  traces: {
    ended: {
      callDuringReplay: false,
      fn({ workflowType, workflowId, startTime }, traceparent, isFailed) {
        const change = placeOf({ traceparent });
        if (change === null) return;
        const ageMs = Date.now() - startTime.getTime();
        const span = startSpan({
          name: `workflow ${workflowType}`,
          attributes: {
            'temporal.workflow.type': workflowType,
            'temporal.workflow.id': workflowId,
          },
          startTime: startTime.getTime(),
          ...optionsOf(placeSpan({ change, ageMs, isAgain: false, active: null })),
        });
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    },
  },
};
