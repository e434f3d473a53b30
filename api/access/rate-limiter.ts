import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/platform/clock.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { addCounts } from '../../lib/access/rate-counts.ts';
import { type RateLimit, type RateStanding, standingOf, windowOf } from './sliding-count.ts';

// A subject can exceed its limit for this long by using several processes.
const shareEveryMs = 1_000;
// As a share of the limit. Lower counts are not worth a write.
const sharedFrom = 0.05;
// Above this, the least recently seen subjects are dropped from memory.
const subjectsMax = 20_000;

interface Subject {
  window: number;
  /** The count of all processes at the last exchange. */
  previous: number;
  current: number;
  /** The count of this process since the last exchange. */
  unshared: number;
}

export interface RateLimiterPorts {
  store: Store;
  clock: Clock;
}

/** While the database is unavailable, each process enforces the limit on its own. Nobody is locked out. */
export class RateLimiter implements AsyncDisposable {
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

  /** Counts a request of a subject and returns its standing. A rejected request is not counted. */
  take(name: string): RateStanding {
    const nowMs = this.#ports.clock.now().getTime();
    const subject = this.#subjectOf(name, windowOf(nowMs, this.limit));
    const counts = { previous: subject.previous, current: subject.current + subject.unshared };
    const standing = standingOf(this.limit, counts, nowMs);
    if (standing.isOver) return standing;
    subject.unshared += 1;
    return { ...standing, remaining: standing.remaining - 1 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#sharing;
  }

  #subjectOf(name: string, window: number): Subject {
    const known = this.#subjects.get(name);
    const subject = known !== undefined && known.window >= window ? known : next(known, window);
    // Move it to the end, because the least recently seen one must be first.
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
        // Log once per outage.
        if (isShared)
          httpLog.warn({ limit: this.limit.name, err: error }, 'rate_limit.sync_failed');
        isShared = false;
      }
      const options = { signal: this.#stopping.signal, ref: false };
      await sleep(shareEveryMs, undefined, options).catch(() => undefined);
    }
  }

  #isWorthSharing({ unshared, current }: Subject): boolean {
    return unshared > 0 && current + unshared >= this.limit.countMax * sharedFrom;
  }

  async #share(): Promise<void> {
    const window = windowOf(this.#ports.clock.now().getTime(), this.limit);
    const shared = [...this.#subjects].filter(
      ([, subject]) => subject.window === window && this.#isWorthSharing(subject),
    );
    if (shared.length === 0) return;
    const idOf = (name: string, of: number): string => `${this.limit.name}|${name}|${of}`;
    const expiresAt = new Date((window + 2) * this.limit.windowMs);
    const increments = shared.map(([name, subject]) => {
      const by = subject.unshared;
      // Not shared again after a failure, because it might count twice.
      subject.current += by;
      subject.unshared = 0;
      return { id: idOf(name, window), by, expiresAt };
    });
    const ids = shared.flatMap(([name]) => [idOf(name, window), idOf(name, window - 1)]);
    const sums = await addCounts(this.#ports.store, increments, ids);
    for (const [name, subject] of shared) {
      if (subject.window !== window) continue;
      subject.current = Math.max(subject.current, sums.get(idOf(name, window)) ?? 0);
      subject.previous = Math.max(subject.previous, sums.get(idOf(name, window - 1)) ?? 0);
    }
  }
}

/** Starts a new window. Drops the unshared count of the old one, at most a second's worth. */
function next(known: Subject | undefined, window: number): Subject {
  const previous = known?.window === window - 1 ? known.current + known.unshared : 0;
  return { window, previous, current: 0, unshared: 0 };
}
