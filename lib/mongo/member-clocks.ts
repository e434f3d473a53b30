// How far the clocks of MongoDB's members differ. Leases end by the clock of the primary, so after a failover to a
// member whose clock is ahead, two processes may hold one.
import type { MongoClient, ServerHeartbeatSucceededEvent } from 'mongodb';
import { secondMs } from '../platform/duration.ts';
import { processLog } from '../platform/logger.ts';
import { instruments } from '../telemetry/instruments.ts';

const samplesKept = 10;
const samplesMin = 3;
const noticedFromMs = secondMs;

export interface ClockSpread {
  spreadMs: number;
  /** The members whose clocks are furthest ahead and behind. */
  ahead: string;
  behind: string;
}

/** The latest times that each member has sent. */
export class MemberClocks {
  readonly #offsetsMs = new Map<string, number[]>();

  record(member: string, { sentMs, receivedMs }: { sentMs: number; receivedMs: number }): void {
    const earlier = this.#offsetsMs.get(member) ?? [];
    this.#offsetsMs.set(member, [...earlier, sentMs - receivedMs].slice(-samplesKept));
  }

  forget(member: string): void {
    this.#offsetsMs.delete(member);
  }

  /** Returns the largest difference between two members, or null if there are no two with enough samples. */
  spread(): ClockSpread | null {
    const known = [...this.#offsetsMs].filter(([, offsets]) => offsets.length >= samplesMin);
    // A delay lets a clock seem behind, so the sample with the smallest delay counts.
    const offsets = known.map(([member, all]) => ({ member, ms: Math.max(...all) }));
    const [behind, ...others] = offsets.toSorted((a, b) => a.ms - b.ms);
    const ahead = others.at(-1);
    if (behind === undefined || ahead === undefined) return null;
    return {
      spreadMs: Math.round(ahead.ms - behind.ms),
      ahead: ahead.member,
      behind: behind.member,
    };
  }
}

/** Listens to the driver's heartbeats, which contain each member's time, until disposed of. */
export function watchMemberClocks(client: MongoClient): Disposable & { report: () => void } {
  const clocks = new MemberClocks();
  const onHeartbeat = ({ connectionId, reply }: ServerHeartbeatSucceededEvent): void => {
    const { localTime } = reply as { localTime?: Date };
    if (localTime === undefined) return;
    const receivedMs = performance.now();
    clocks.record(connectionId, { sentMs: localTime.getTime(), receivedMs });
  };
  const onFailure = ({ connectionId }: { connectionId: string }): void =>
    clocks.forget(connectionId);
  client.on('serverHeartbeatSucceeded', onHeartbeat);
  client.on('serverHeartbeatFailed', onFailure);
  const stopObserving = instruments.memberClockSpread.observe((show) => {
    const spread = clocks.spread();
    if (spread !== null) show(spread.spreadMs / secondMs, {});
  });
  let loggedMs = 0;
  return {
    /** Logs a difference that has changed by a second or more since the last line. */
    report() {
      const spread = clocks.spread();
      if (spread === null || Math.abs(spread.spreadMs - loggedMs) < noticedFromMs) return;
      loggedMs = spread.spreadMs;
      processLog.warn(spread, 'clock.members_differ');
    },
    [Symbol.dispose]() {
      client.off('serverHeartbeatSucceeded', onHeartbeat);
      client.off('serverHeartbeatFailed', onFailure);
      stopObserving();
    },
  };
}
