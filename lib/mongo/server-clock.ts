import { processLimits } from '../limits.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { minuteMs, secondMs } from '../platform/duration.ts';
import { processLog } from '../platform/logger.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { Store } from './connect.ts';
import { watchMemberClocks } from './member-clocks.ts';

const samplesPerMeasurement = 5;
const noticedFromMs = secondMs;

/** MongoDB's clock, used by all processes. Dispose of it to end its measurements. */
export type ServerClock = Required<Clock> & AsyncDisposable;

interface Measurement {
  /** The difference from the monotonic clock of this process to MongoDB's clock. */
  offsetMs: number;
  /** Half of the round trip: MongoDB may have read its clock at any moment of it. */
  errorMs: number;
}

/**
 * Measures MongoDB's clock now and each minute, and returns it. Between measurements it advances with the monotonic
 * clock, so that setting the machine's clock does not affect it. Rejects if the first measurement fails.
 */
export async function startServerClock(
  store: Store,
  { local = systemClock, everyMs = minuteMs }: { local?: Clock; everyMs?: number } = {},
): Promise<ServerClock> {
  let { offsetMs } = await measure(store);
  let loggedMs = 0;
  const now = (): Date => new Date(performance.now() + offsetMs);
  const aheadMs = (): number => local.now().getTime() - now().getTime();
  const report = (): void => {
    if (Math.abs(aheadMs() - loggedMs) < noticedFromMs) return;
    loggedMs = aheadMs();
    processLog.warn({ aheadMs: loggedMs }, 'clock.differs');
  };
  report();
  const members = watchMemberClocks(store.client);
  const measureAgain = async (): Promise<void> => {
    members.report();
    try {
      const measured = await measure(store);
      // A difference within the measurement error is ignored, so that time does not go backwards.
      if (Math.abs(measured.offsetMs - offsetMs) > measured.errorMs) ({ offsetMs } = measured);
      report();
    } catch (err) {
      processLog.warn({ err }, 'clock.not_measured');
    }
  };
  const timer = setInterval(() => void measureAgain(), everyMs);
  timer.unref();
  const stopObserving = instruments.clockAhead.observe((show) => show(aheadMs() / secondMs, {}));
  return {
    now,
    aheadMs,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      members[Symbol.dispose]();
      stopObserving();
    },
  };
}

/** Returns `ok`, or a sentence if the machine's clock is too far from MongoDB's for either to be trusted. */
export function describeClock(aheadMs: number): string {
  const { clockAheadMsMax } = processLimits;
  if (Math.abs(aheadMs) <= clockAheadMsMax) return 'ok';
  const seconds = Math.round(Math.abs(aheadMs) / secondMs);
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const most = clockAheadMsMax / secondMs;
  return `this machine's clock is ${seconds} s ${side} MongoDB's, and may be ${most} s; set both by NTP`;
}

// Takes several samples: the faster the response, the smaller the error.
async function measure(store: Store): Promise<Measurement> {
  const samples: Measurement[] = [];
  for (let n = 0; n < samplesPerMeasurement; n += 1) samples.push(await sample(store));
  return samples.reduce((best, each) => (each.errorMs < best.errorMs ? each : best));
}

async function sample({ db }: Store): Promise<Measurement> {
  const sentAtMs = performance.now();
  const { localTime } = (await db.command({ hello: 1 })) as unknown as { localTime: Date };
  const errorMs = (performance.now() - sentAtMs) / 2;
  return { offsetMs: localTime.getTime() - (sentAtMs + errorMs), errorMs };
}
