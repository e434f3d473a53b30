// Builds the results of sends.
import { type AttemptTrace, createTrace, endPhase, msSince } from './attempt-trace.ts';
import type { SendErrorVerdict } from './classify-send-error.ts';
import { describeResponse } from './describe-response.ts';
import type { ReceivedResponse } from './exchange.ts';
import type { SendResult } from './sender.ts';

export function responded(
  trace: AttemptTrace,
  response: ReceivedResponse,
  secretTexts: readonly string[],
): SendResult {
  trace.ms.total = msSince(trace.startedAt);
  return {
    kind: 'responded',
    status: response.status,
    ...describeResponse(response, secretTexts),
    address: trace.address,
    ms: trace.ms,
    phases: trace.phases,
  };
}

/** The result of a request that is never made. */
export function refused(detail: string): SendResult {
  return failed(createTrace(), { errorClass: 'blocked', detail, isFinal: true, cause: null });
}

export function failed(
  trace: AttemptTrace,
  verdict: SendErrorVerdict & { readonly cause: string | null },
): SendResult {
  endPhase(trace, { failed: true });
  trace.ms.total = msSince(trace.startedAt);
  const address = verdict.errorClass === 'blocked' ? null : trace.address;
  const { ms, phases } = trace;
  return { kind: 'failed', ...verdict, address, ms, phases };
}
