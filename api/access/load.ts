// How much an api process takes on at once: permits for requests, a short queue, and less while it is late.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Semaphore } from '../../lib/concurrency/semaphore.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import { overloaded } from '../../lib/platform/overloaded.ts';

/** Requests that wait for a permit, for each permit. */
const waitingPerPermit = 4;
/** Half of what a caller usually waits for an answer. */
const permitWaitMsMax = 15_000;
/** Of all bodies in the process together, from their first byte to the answer. */
const bodyBytesMax = 256 * 1024 * 1024;
/** Timers that come so late, half of them or more in a second, mean that the process cannot keep up. */
const lateMsMax = 500;
/** A late process still works, on a quarter of what it may do at once; it would not recover by idling. */
const permitsWhileLate = 0.25;
const loopSampleEveryMs = 20;
const checkEveryMs = 1_000;
/** Balancers ask seldom: what was refused is told for a while. */
const toldForMs = 5_000;

/** A request on its way through the process. */
export interface Visit {
  /** Reads the body by `read`, which tells of the bytes that it keeps. Throws `overloaded`. */
  receive<T>(read: (keep: (bytes: number) => void) => Promise<T>): Promise<T>;
  /** Handles the request when it gets a permit. Throws `overloaded`. */
  handle<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the visit, however it went. */
  leave(): void;
}

/** What a process takes on at once. Dispose of it to stop watching the event loop. */
export interface Load extends AsyncDisposable {
  /** Begins a visit; `always` for the probes, which are never refused. Throws `overloaded`. */
  enter(options?: { always: boolean }): Visit;
  /** One sentence when requests are being refused, or were a moment ago; else null. */
  overload(): string | null;
}

/** Makes the load of a process in which so many requests are handled at once. */
export function createLoad(requestsAtOnceMax: number): Load {
  return new ProcessLoad(requestsAtOnceMax);
}

class ProcessLoad implements Load {
  readonly #requestsAtOnceMax: number;
  readonly #permits: Semaphore;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: loopSampleEveryMs });
  readonly #check: NodeJS.Timeout;
  /** Requests that cost something: all of them but those that still send their body, which cost none. */
  #working = 0;
  #bodyBytes = 0;
  #lateMs = 0;
  #refused = 0;
  #refusedAtMs = -Infinity;

  constructor(requestsAtOnceMax: number) {
    this.#requestsAtOnceMax = requestsAtOnceMax;
    this.#permits = new Semaphore(requestsAtOnceMax, overloaded, {
      queueMax: requestsAtOnceMax * waitingPerPermit,
      waitMsMax: permitWaitMsMax,
    });
    this.#loopDelay.enable();
    this.#check = setInterval(() => this.#look(), checkEveryMs).unref();
  }

  enter({ always } = { always: false }): Visit {
    if (!always) {
      const fault = this.#fault();
      if (fault !== null) this.#refuse(fault);
    }
    this.#working += 1;
    let keptBytes = 0;
    return {
      receive: async (read) => {
        // Whoever sends slowly takes no place from those who do not.
        this.#working -= 1;
        try {
          return await read((bytes) => {
            if (this.#bodyBytes + bytes > bodyBytesMax) this.#refuse('too many bodies at once');
            keptBytes += bytes;
            this.#bodyBytes += bytes;
          });
        } finally {
          this.#working += 1;
        }
      },
      handle: (work) => this.#handle(work),
      leave: () => {
        this.#working -= 1;
        this.#bodyBytes -= keptBytes;
      },
    };
  }

  overload(): string | null {
    const fault = this.#fault();
    if (fault !== null) return `overloaded: ${fault}`;
    const isOver = performance.now() - this.#refusedAtMs > toldForMs;
    return isOver ? null : 'overloaded: requests were refused a moment ago';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#check);
    this.#loopDelay.disable();
  }

  async #handle<T>(work: () => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await this.#permits.run('', () => {
        hasBegun = true;
        return work();
      });
    } catch (error) {
      // Work has queues of its own, which say nothing of the process.
      if (!hasBegun) this.#recordRefusal();
      throw error;
    }
  }

  #fault(): string | null {
    if (this.#working >= this.#requestsAtOnceMax * (1 + waitingPerPermit)) {
      return `${this.#working} requests are under way`;
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

  /** Once a second: how late timers are, and one line for all that was refused. */
  #look(): void {
    const medianMs = this.#loopDelay.percentile(50) / 1e6;
    this.#loopDelay.reset();
    this.#lateMs = Math.max(0, Math.round(medianMs) - loopSampleEveryMs);
    if (this.#refused === 0) return;
    const { held: running, waiting } = this.#permits.count('');
    const fields = { refused: this.#refused, running, waiting, lateMs: this.#lateMs };
    httpLog.warn(fields, 'load.shed');
    this.#refused = 0;
  }
}
