import type { AttemptState, ErrorClass } from '../model/attempt.ts';
import type { SendResult } from '../egress/sender.ts';
import { nextRetryDelayMs, parseRetryAfterMs } from './retry-schedule.ts';

interface ClassifyOptions {
  scheduleMs: readonly number[];
  /** Including this one. */
  attemptsMade: number;
  now: Date;
  random: number;
}

export interface Verdict {
  state: AttemptState;
  errorClass: ErrorClass | null;
  nextAttemptAt: Date | null;
  gone: boolean;
}

const statusesWithRetryAfter: ReadonlySet<number> = new Set([429, 503]);

/** Decides what follows an attempt (docs/webhooks.md, "Responses"). A redirect counts as a failure. */
export function classifyResponse(result: SendResult, options: ClassifyOptions): Verdict {
  const end = { nextAttemptAt: null, gone: false };
  if (result.kind === 'failed') {
    const { errorClass } = result;
    return result.isFinal
      ? { ...end, state: 'blocked', errorClass }
      : retryLater(errorClass, null, options);
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { ...end, state: 'delivered', errorClass: null };
  if (status === 410) return { ...end, state: 'exhausted', errorClass: 'status', gone: true };
  const retryAfterMs = statusesWithRetryAfter.has(status)
    ? parseRetryAfterMs(result.retryAfter, options.now)
    : null;
  return retryLater('status', retryAfterMs, options);
}

function retryLater(
  errorClass: ErrorClass,
  retryAfterMs: number | null,
  { scheduleMs, attemptsMade, now, random }: ClassifyOptions,
): Verdict {
  const delayMs = nextRetryDelayMs({ scheduleMs, attemptsMade, retryAfterMs, random });
  if (delayMs === null) return { state: 'exhausted', errorClass, nextAttemptAt: null, gone: false };
  const nextAttemptAt = new Date(now.getTime() + delayMs);
  return { state: 'retrying', errorClass, nextAttemptAt, gone: false };
}
