import { SpanStatusCode } from '@opentelemetry/api';
import type { InjectedSinks } from '@temporalio/worker';
import { chooseParent, spanOptions } from '../lib/telemetry/span-parent.ts';
import { startSpan } from '../lib/telemetry/spans.ts';
import { spanContextOf } from '../lib/telemetry/trace-context.ts';
import type { TraceSinks } from '../lib/temporal/messages.ts';

/** Records the span of a workflow at its end: only then is it complete, possibly in another process. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  traces: {
    ended: {
      callDuringReplay: false,
      fn({ workflowType, workflowId, startTime }, traceparent, isFailed) {
        const change = spanContextOf({ traceparent });
        if (change === null) return;
        const ageMs = Date.now() - startTime.getTime();
        const span = startSpan({
          name: `workflow ${workflowType}`,
          attributes: {
            'temporal.workflow.type': workflowType,
            'temporal.workflow.id': workflowId,
          },
          startTime: startTime.getTime(),
          ...spanOptions(chooseParent({ change, ageMs, isResent: false, active: null })),
        });
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    },
  },
};
