import { monitorEventLoopDelay } from 'node:perf_hooks';
import { FairPermits } from '../../lib/concurrency/fair-permits.ts';
import { observePermits } from '../../lib/concurrency/observe-permits.ts';
import { httpLimits } from '../../lib/limits.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import { overloaded } from '../../lib/platform/overloaded.ts';

const { waitingPerPermitMax, permitWaitMsMax, bodyBytesMax, bodyBytesPerCallerMax } = httpLimits;
// Above this median delay of timers, the process cannot keep up.
const lateMsMax = 500;
// A late process keeps working: idling would not help it recover.
const permitsWhileLate = 0.25;
const loopSampleEveryMs = 20;
const checkEveryMs = 1_000;
// Load balancers poll rarely.
const reportedForMs = 5_000;

export interface Visit {
  /** Runs `read`, which reports the bytes that it buffers for this caller. Throws `overloaded`. */
  receive<T>(caller: string, read: (keep: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** Runs `work` with a permit of its owner: an application or another caller. Throws `overloaded`. */
  handle<T>(owner: string, work: () => Promise<T>): Promise<T>;
  leave(): void;
}

/** Limits the requests of a process: permits and a short queue, fewer while the event loop is late. */
export class Load implements AsyncDisposable {
  readonly #requestsAtOnceMax: number;
  readonly #permits: FairPermits;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: loopSampleEveryMs });
  readonly #check: NodeJS.Timeout;
  readonly #stopObserving: () => void;
  /** All requests except the ones whose body is still arriving, which cost nothing. */
  #working = 0;
  #bodyBytes = 0;
  readonly #bodyBytesOf = new Map<string, number>();
  #lateMs = 0;
  #refused = 0;
  #refusedAtMs = -Infinity;

  constructor(requestsAtOnceMax: number) {
    this.#requestsAtOnceMax = requestsAtOnceMax;
    this.#permits = new FairPermits({
      permitsMax: requestsAtOnceMax,
      queueMax: requestsAtOnceMax * waitingPerPermitMax,
      waitMsMax: permitWaitMsMax,
      refusal: overloaded,
    });
    this.#stopObserving = observePermits('requests', {
      max: requestsAtOnceMax,
      count: () => this.#permits.count(),
    });
    this.#loopDelay.enable();
    this.#check = setInterval(() => this.#checkLoop(), checkEveryMs).unref();
  }

  /** Starts the visit of a request. `always` is for probes, which are never rejected. Throws `overloaded`. */
  enter({ always } = { always: false }): Visit {
    if (!always) {
      const fault = this.#fault();
      if (fault !== null) this.#refuse(fault);
    }
    this.#working += 1;
    const kept = { caller: '', bytes: 0 };
    return {
      receive: async (caller, read) => {
        kept.caller = caller;
        // A slow sender must not take capacity from others.
        this.#working -= 1;
        try {
          return await read((bytes) => {
            this.#checkRoom(caller, bytes);
            this.#countBytes(caller, bytes);
            kept.bytes += bytes;
          });
        } finally {
          this.#working += 1;
        }
      },
      handle: (owner, work) => this.#handle(owner, work),
      leave: () => {
        this.#working -= 1;
        this.#countBytes(kept.caller, -kept.bytes);
      },
    };
  }

  /** Returns a sentence while requests are rejected, or were a moment ago; otherwise null. */
  overload(): string | null {
    const fault = this.#fault();
    if (fault !== null) return `overloaded: ${fault}`;
    const isOver = performance.now() - this.#refusedAtMs > reportedForMs;
    return isOver ? null : 'overloaded: requests were refused a moment ago';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#check);
    this.#stopObserving();
    this.#loopDelay.disable();
  }

  #checkRoom(caller: string, bytes: number): void {
    if (this.#bodyBytes + bytes > bodyBytesMax)
      this.#refuse('too many request bodies are being received');
    const own = (this.#bodyBytesOf.get(caller) ?? 0) + bytes;
    // Only this caller has too much in memory. The process is not overloaded.
    if (own > bodyBytesPerCallerMax)
      throw overloaded('too many request bodies of one caller are being received');
  }

  #countBytes(caller: string, bytes: number): void {
    this.#bodyBytes += bytes;
    const own = (this.#bodyBytesOf.get(caller) ?? 0) + bytes;
    if (own > 0) this.#bodyBytesOf.set(caller, own);
    else this.#bodyBytesOf.delete(caller);
  }

  async #handle<T>(owner: string, work: () => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await this.#permits.run(owner, () => {
        hasBegun = true;
        return work();
      });
    } catch (error) {
      // An error of the work, such as a full queue of its own, is not a rejection by the process.
      if (!hasBegun) this.#recordRefusal();
      throw error;
    }
  }

  #fault(): string | null {
    if (this.#working >= this.#requestsAtOnceMax * (1 + waitingPerPermitMax)) {
      return `${this.#working} requests are in flight`;
    }
    const isLate = this.#lateMs > lateMsMax;
    if (isLate && this.#working >= this.#requestsAtOnceMax * permitsWhileLate) {
      return `the process is ${this.#lateMs} ms late`;
    }
    return null;
  }

  #refuse(fault: string): never {
    this.#recordRefusal();
    throw overloaded(fault);
  }

  #recordRefusal(): void {
    this.#refused += 1;
    this.#refusedAtMs = performance.now();
  }

  #checkLoop(): void {
    const medianMs = this.#loopDelay.percentile(50) / 1e6;
    this.#loopDelay.reset();
    this.#lateMs = Math.max(0, Math.round(medianMs) - loopSampleEveryMs);
    if (this.#refused === 0) return;
    const { held: running, waiting } = this.#permits.count();
    const fields = { refused: this.#refused, running, waiting, lateMs: this.#lateMs };
    httpLog.warn(fields, 'load.shed');
    this.#refused = 0;
  }
}
