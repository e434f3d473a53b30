// Counts what callers do against a limit, together with the other processes, without a read a request.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/platform/clock.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { addCounts } from '../../lib/access/rate-counts.ts';
import { type RateLimit, type RateStanding, standingOf, windowOf } from './sliding-count.ts';

// How often the processes tell each other: so long may a subject do too much on each of them.
const shareEveryMs = 1_000;
// A process tells of a subject from this share of its limit on.
const toldFromShare = 0.05;
// Above this the subjects seen longest ago are forgotten here, not in the database.
const subjectsMax = 20_000;

/** A limiter of one limit. Dispose of it to stop sharing. */
export interface RateLimiter extends AsyncDisposable {
  readonly limit: RateLimit;
  /** Counts one more of a subject and tells how it stands; what is refused is not counted. */
  take(subject: string): RateStanding;
}

interface Subject {
  window: number;
  /** What all processes have counted, as of the last time they told each other. */
  previous: number;
  current: number;
  /** What this process has counted since. */
  untold: number;
}

/**
 * Makes a limiter. A request is decided from memory; once a second the counts of all processes are
 * added up in the database, of those subjects that have used a twentieth of their limit. While that cannot be reached each process goes on with its own count: the
 * limit then holds for each process instead of for all together, which lets nobody in without a limit
 * and locks nobody out.
 */
export function createRateLimiter(ports: RateLimiterPorts, limit: RateLimit): RateLimiter {
  return new SharedRateLimiter(ports, limit);
}

export interface RateLimiterPorts {
  store: Store;
  clock: Clock;
}

class SharedRateLimiter implements RateLimiter {
  readonly limit: RateLimit;
  readonly #ports: RateLimiterPorts;
  readonly #subjects = new Map<string, Subject>();
  readonly #stopping = new AbortController();
  readonly #sharing: Promise<void>;

  constructor(ports: RateLimiterPorts, limit: RateLimit) {
    this.limit = limit;
    this.#ports = ports;
    this.#sharing = this.#keepSharing();
  }

  take(name: string): RateStanding {
    const nowMs = this.#ports.clock.now().getTime();
    const subject = this.#subjectOf(name, windowOf(nowMs, this.limit));
    const counts = { previous: subject.previous, current: subject.current + subject.untold };
    const standing = standingOf(this.limit, counts, nowMs);
    if (standing.isOver) return standing;
    subject.untold += 1;
    return { ...standing, remaining: standing.remaining - 1 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#sharing;
  }

  #subjectOf(name: string, window: number): Subject {
    const known = this.#subjects.get(name);
    const subject = known !== undefined && known.window >= window ? known : next(known, window);
    // To the end, so that the first is the one seen longest ago.
    this.#subjects.delete(name);
    this.#subjects.set(name, subject);
    const [oldest] = this.#subjects.keys();
    if (this.#subjects.size > subjectsMax && oldest !== undefined) this.#subjects.delete(oldest);
    return subject;
  }

  async #keepSharing(): Promise<void> {
    let isShared = true;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#share();
        isShared = true;
      } catch (error) {
        // Said once an outage.
        if (isShared)
          httpLog.warn({ limit: this.limit.name, err: error }, 'rate_limit.sync_failed');
        isShared = false;
      }
      const options = { signal: this.#stopping.signal, ref: false };
      await sleep(shareEveryMs, undefined, options).catch(() => undefined);
    }
  }

  /** Nearly everybody stays far below the limit, and nobody has to be told of them. */
  #isWorthTelling({ untold, current }: Subject): boolean {
    return untold > 0 && current + untold >= this.limit.countMax * toldFromShare;
  }

  /** Tells the others what was counted here, and learns what they counted of the same subjects. */
  async #share(): Promise<void> {
    const window = windowOf(this.#ports.clock.now().getTime(), this.limit);
    const told = [...this.#subjects].filter(
      ([, subject]) => subject.window === window && this.#isWorthTelling(subject),
    );
    if (told.length === 0) return;
    const idOf = (name: string, of: number): string => `${this.limit.name}|${name}|${of}`;
    const expiresAt = new Date((window + 2) * this.limit.windowMs);
    const increments = told.map(([name, subject]) => {
      const by = subject.untold;
      // Counted as told whatever becomes of it: told twice, it would count twice for everybody.
      subject.current += by;
      subject.untold = 0;
      return { id: idOf(name, window), by, expiresAt };
    });
    const ids = told.flatMap(([name]) => [idOf(name, window), idOf(name, window - 1)]);
    const sums = await addCounts(this.#ports.store, increments, ids);
    for (const [name, subject] of told) {
      if (subject.window !== window) continue;
      subject.current = Math.max(subject.current, sums.get(idOf(name, window)) ?? 0);
      subject.previous = Math.max(subject.previous, sums.get(idOf(name, window - 1)) ?? 0);
    }
  }
}

/** What was not told of a window that has ended is not told any more: a second's worth at most. */
function next(known: Subject | undefined, window: number): Subject {
  const previous = known?.window === window - 1 ? known.current + known.untold : 0;
  return { window, previous, current: 0, untold: 0 };
}
