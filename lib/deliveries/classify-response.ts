// What an attempt's result means for its delivery: a pure function, so that every case is in a table.
import type { ErrorClass } from '../model/attempt.ts';
import type { DeliveryState } from '../model/delivery-state.ts';
import type { SendResult } from '../egress/http-sender.ts';
import { nextRetryDelayMs, parseRetryAfterMs } from './retry-schedule.ts';

export interface ClassifyOptions {
  scheduleMs: readonly number[];
  /** How many attempts have been made, this one included. */
  attemptsMade: number;
  now: Date;
  /** A number from 0 up to 1, for the jitter. */
  random: number;
}

export interface Verdict {
  state: Extract<DeliveryState, 'delivered' | 'retrying' | 'exhausted' | 'blocked'>;
  errorClass: ErrorClass | null;
  nextAttemptAt: Date | null;
  /** The receiver said that the endpoint is gone for good (410). */
  gone: boolean;
}

const statusesWithRetryAfter: ReadonlySet<number> = new Set([429, 503]);

/**
 * Decides what follows from one attempt (docs/webhooks.md, "Answers"): 2xx is delivered; 410 ends it
 * and tells that the endpoint is gone; an address refused by the guard ends it; anything else, 3xx
 * included, is a failure that the schedule tries again until it is exhausted.
 */
export function classifyResponse(result: SendResult, options: ClassifyOptions): Verdict {
  if (result.kind === 'failed') {
    return result.errorClass === 'blocked'
      ? { state: 'blocked', errorClass: 'blocked', nextAttemptAt: null, gone: false }
      : retryLater(result.errorClass, null, options);
  }
  const { status } = result;
  if (status >= 200 && status < 300) {
    return { state: 'delivered', errorClass: null, nextAttemptAt: null, gone: false };
  }
  if (status === 410) {
    return { state: 'exhausted', errorClass: 'status', nextAttemptAt: null, gone: true };
  }
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
  return delayMs === null
    ? { state: 'exhausted', errorClass, nextAttemptAt: null, gone: false }
    : {
        state: 'retrying',
        errorClass,
        nextAttemptAt: new Date(now.getTime() + delayMs),
        gone: false,
      };
}
