import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextRound } from 'node:timers/promises';
import { FairPermits } from '../../lib/concurrency/fair-permits.ts';
import { GroupLimit, type Party } from '../../lib/concurrency/group-limit.ts';
import { observePermits } from '../../lib/concurrency/observe-permits.ts';
import { httpLimits } from '../../lib/limits.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import { overloaded } from '../../lib/platform/overloaded.ts';
import { strangers } from './party.ts';

const { waitingPerPermitMax, permitWaitMsMax } = httpLimits;
const { bodyBytesMax, strangersBodyBytesMax, bodyBytesUncounted } = httpLimits;
// Above this median delay of timers, the process cannot keep up.
const lateMsMax = 500;
// A late process keeps working: idling would not help it recover.
const permitsWhileLate = 0.25;
const loopSampleEveryMs = 20;
const checkEveryMs = 1_000;
// Load balancers poll rarely.
const reportedForMs = 5_000;

/** What the reader of a body needs. */
export interface Reception {
  /** Reports more bytes that are kept until the request ends. Throws `overloaded`. */
  keep: (bytes: number) => void;
  /** Runs work that blocks the event loop, in turn with other callers. Throws `overloaded`. */
  inTurn: <T>(work: () => T) => Promise<T>;
}

export interface Visit {
  receive<T>(sender: Party, read: (reception: Reception) => Promise<T>): Promise<T>;
  /** Runs `work` with a permit. Throws `overloaded`. */
  handle<T>(payer: Party, work: () => Promise<T>): Promise<T>;
  leave(): void;
}

/** Limits the requests of a process: permits and a short queue, fewer while the event loop is late. */
export class Load implements AsyncDisposable {
  readonly #requestsAtOnceMax: number;
  readonly #permits: FairPermits;
  readonly #turns: FairPermits;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: loopSampleEveryMs });
  readonly #check: NodeJS.Timeout;
  readonly #stopObserving: () => void;
  /** All requests except the ones whose body is still arriving, which cost nothing. */
  #working = 0;
  readonly #bodyBytes = new GroupLimit(bodyBytesMax);
  readonly #strangersBytes = new GroupLimit(strangersBodyBytesMax);
  #lateMs = 0;
  #refused = 0;
  #refusedAtMs = -Infinity;

  constructor(requestsAtOnceMax: number) {
    this.#requestsAtOnceMax = requestsAtOnceMax;
    const queue = {
      queueMax: requestsAtOnceMax * waitingPerPermitMax,
      waitMsMax: permitWaitMsMax,
      refusal: overloaded,
    };
    this.#permits = new FairPermits({ permitsMax: requestsAtOnceMax, ...queue });
    this.#turns = new FairPermits({ permitsMax: 1, ...queue });
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
    let release = (): void => undefined;
    return {
      receive: async (sender, read) => {
        // A slow sender must not take capacity from others.
        this.#working -= 1;
        const body = this.#createBody(sender);
        release = body.release;
        try {
          return await read({ keep: body.keep, inTurn: (work) => this.#runInTurn(sender, work) });
        } finally {
          this.#working += 1;
        }
      },
      handle: (payer, work) => this.#run(this.#permits, payer, work),
      leave: () => {
        this.#working -= 1;
        release();
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

  #createBody({ group, member }: Party): { keep: (bytes: number) => void; release: () => void } {
    const isStranger = group === strangers;
    const limit = isStranger ? this.#strangersBytes : this.#bodyBytes;
    // Strangers have no group next to them in their limit.
    const sender = isStranger ? { group: member ?? '', member: null } : { group, member };
    let length = 0;
    let counted = 0;
    return {
      keep: (bytes) => {
        length += bytes;
        if (length <= bodyBytesUncounted) return;
        if (!limit.hasRoom(sender)) {
          // While others have room, the process is not overloaded.
          if (limit.isFull) this.#recordRefusal();
          throw overloaded('too many request bodies are being received');
        }
        limit.take(sender, length - counted);
        counted = length;
      },
      release: () => limit.release(sender, counted),
    };
  }

  /** One such work per round of the event loop, which serves other requests in between. */
  #runInTurn<T>(sender: Party, work: () => T): Promise<T> {
    return this.#run(this.#turns, sender, async () => {
      try {
        return work();
      } finally {
        await nextRound();
      }
    });
  }

  async #run<T>(permits: FairPermits, party: Party, work: () => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await permits.run(party, () => {
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
