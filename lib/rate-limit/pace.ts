import { attemptLimits } from '../limits.ts';
import type { Pace } from '../model/pace.ts';

const { rateWaitMsMax } = attemptLimits;
// Others may have been late.
const rateWaitInLineMsMax = 2 * rateWaitMsMax;
// Who asks that early waits in the process, so that no gap is left; longer would outdate what it has read.
const earlyMs = attemptLimits.factsFreshMs - 100;

export interface PaceQuestion {
  nowMs: number;
  ratePerSecond: number;
  /** It has waited in the line, so it is not sent to its end for one that came later. */
  isInLine: boolean;
  /** False where too many wait in the process: then it is sent immediately, or joins the line. */
  mayWait: boolean;
}

/** A request that may be sent at that time, or the time at which the delivery, in the line since, asks again. */
export interface PacedTime {
  atMs: number;
  sends: boolean;
}

/**
 * Gives out the next time at a webhook's rate: to send at, or, after a long wait or behind others, in the line. A time in
 * the line is only one to ask again at, so that a delivery that comes late costs nobody a request.
 */
export function nextTime(
  before: Pace | null,
  { nowMs, ratePerSecond, isInLine, mayWait }: PaceQuestion,
): { pace: Pace; time: PacedTime } {
  const sendAtMs = Math.max(before?.sendsFromMs ?? 0, nowMs);
  const isOldLine = before === null || before.ratePerSecond !== ratePerSecond;
  const lineEndsMs = isOldLine ? 0 : before.lineEndsMs;
  const intervalMs = 1_000 / ratePerSecond;
  const othersWait = lineEndsMs > nowMs + rateWaitMsMax;
  const waitMsMax = mayWait ? (isInLine ? rateWaitInLineMsMax : rateWaitMsMax) : 0;
  if ((isInLine || !othersWait) && sendAtMs - nowMs <= waitMsMax) {
    const pace = { ratePerSecond, sendsFromMs: sendAtMs + intervalMs, lineEndsMs };
    return { pace, time: { atMs: sendAtMs, sends: true } };
  }
  const atMs = Math.max(sendAtMs, lineEndsMs);
  const sendsFromMs = before?.sendsFromMs ?? 0;
  const pace = { ratePerSecond, sendsFromMs, lineEndsMs: atMs + intervalMs };
  return { pace, time: { atMs: atMs - earlyMs, sends: false } };
}
