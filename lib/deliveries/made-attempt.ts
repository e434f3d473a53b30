import { deliveryLog } from '../platform/logger.ts';
import type { Attempt, AttemptTrigger } from '../model/attempt.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { SendResult } from '../egress/http-sender.ts';
import type { Verdict } from './classify-response.ts';

export function triggerOf(delivery: DeliveryDocument | null): AttemptTrigger {
  if (delivery === null) return 'event';
  const { attemptCount, scheduleFrom, requeuedAs } = delivery;
  const requeued = attemptCount === scheduleFrom ? requeuedAs : null;
  return requeued ?? (attemptCount === 0 ? 'event' : 'retry');
}

export function toAttempt(
  result: SendResult,
  facts: Pick<Attempt, 'n' | 'at' | 'trigger'> & {
    verdict: Verdict;
    traceId: string | undefined;
  },
): Attempt {
  const answered = result.kind === 'answered';
  return {
    n: facts.n,
    at: facts.at,
    ms: result.ms,
    status: answered ? result.status : null,
    errorClass: facts.verdict.errorClass,
    detail: answered ? null : result.detail,
    responseSample: answered ? result.responseSample : '',
    address: result.address,
    trigger: facts.trigger,
    ...(facts.traceId === undefined ? {} : { traceId: facts.traceId }),
    state: facts.verdict.state,
  };
}

export function logAttempt(
  key: DeliveryKey,
  facts: {
    event: EventToAttempt;
    host: string;
    attempt: Attempt;
    verdict: Verdict;
    result: SendResult;
  },
): void {
  const { attempt, verdict, result } = facts;
  const isLost = verdict.state === 'exhausted' || verdict.state === 'blocked';
  deliveryLog[isLost ? 'warn' : 'info'](
    {
      ...key,
      eventType: facts.event.event,
      host: facts.host,
      attempt: attempt.n,
      trigger: attempt.trigger,
      state: verdict.state,
      status: attempt.status,
      errorClass: attempt.errorClass,
      detail: result.kind === 'failed' ? result.detail : undefined,
      cause: result.kind === 'failed' ? (result.cause ?? undefined) : undefined,
      durationMs: attempt.ms.total,
      nextAttemptAt: verdict.nextAttemptAt?.toISOString(),
    },
    'delivery.attempted',
  );
}
