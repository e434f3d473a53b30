// Bounds how much runs concurrently, by key. What finds no permit waits in a queue, in order of arrival.

/** A place among what runs. Releasing it twice is releasing it once. */
export interface Permit {
  readonly release: () => void;
}

export interface QueueLimits {
  /** Who comes is refused where so many wait already. */
  readonly queueMax?: number;
  /** Who waits is refused after so long. */
  readonly waitMsMax?: number;
}

export interface AcquireOptions extends QueueLimits {
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

interface Queue {
  held: number;
  readonly waiters: Set<Waiter>;
}

// A process that stood still for a while makes nobody wait longer than one tick.
const tickMs = 100;

/** Gives each key so many permits. A key of which none is held takes no memory. */
export class Semaphore {
  readonly #permits: number;
  readonly #refusal: (reason: string) => Error;
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, Queue>();
  #waitsEnded = false;

  /** `refusal` makes the error for who gets no permit; `limits` hold where a caller gives none. */
  constructor(permits: number, refusal: (reason: string) => Error, limits: QueueLimits = {}) {
    this.#permits = permits;
    this.#refusal = refusal;
    this.#limits = limits;
  }

  /** Returns how many permits of a key are held, and how many callers wait for one. */
  count(key: string): { held: number; waiting: number } {
    const { held, waiters } = this.#queues.get(key) ?? newQueue();
    return { held, waiting: waiters.size };
  }

  /** Waits for a permit. Throws the refusal, or the signal's reason when it aborts first. */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Permit> {
    const queue = this.#queues.get(key) ?? newQueue();
    this.#queues.set(key, queue);
    if (queue.held < this.#permits) queue.held += 1;
    else await this.#wait(queue, { ...this.#limits, ...options });
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.#release(key, queue);
        isHeld = false;
      },
    };
  }

  /** Runs work with a permit. Throws as `acquire` does, or what the work throws. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const permit = await this.acquire(key);
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  /** Refuses who waits, and from now on who would have to. */
  endWaits(): void {
    this.#waitsEnded = true;
    for (const { waiters } of this.#queues.values()) {
      for (const waiter of waiters) waiter.refuse(this.#refusal('the waits have ended'));
    }
  }

  #wait(queue: Queue, { queueMax = Infinity, waitMsMax = Infinity, signal }: AcquireOptions) {
    signal?.throwIfAborted();
    if (this.#waitsEnded) throw this.#refusal('the waits have ended');
    if (queue.waiters.size >= queueMax) throw this.#refusal('too many wait already');
    return new Promise<void>((resolve, reject) => {
      let ticksLeft = Math.ceil(waitMsMax / tickMs);
      const onTick = (): void => {
        ticksLeft -= 1;
        if (ticksLeft <= 0) waiter.refuse(this.#refusal(`no permit came within ${waitMsMax} ms`));
      };
      const onAbort = (): void => waiter.refuse(signal?.reason);
      const leave = (): void => {
        clearInterval(timer);
        signal?.removeEventListener('abort', onAbort);
        queue.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        grant: () => {
          leave();
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const timer = setInterval(onTick, Math.min(tickMs, waitMsMax));
      signal?.addEventListener('abort', onAbort);
      queue.waiters.add(waiter);
    });
  }

  /** Hands the permit to who has waited longest. */
  #release(key: string, queue: Queue): void {
    const [next] = queue.waiters;
    if (next !== undefined) {
      next.grant();
      return;
    }
    queue.held -= 1;
    if (queue.held === 0) this.#queues.delete(key);
  }
}

function newQueue(): Queue {
  return { held: 0, waiters: new Set() };
}
