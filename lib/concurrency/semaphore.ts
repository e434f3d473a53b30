import { Waiter } from './waiter.ts';

export interface Permit {
  readonly release: () => void;
}

interface QueueLimits {
  readonly queueMax?: number;
  readonly waitMsMax?: number;
}

export interface AcquireOptions extends QueueLimits {
  readonly signal?: AbortSignal | undefined;
}

interface Queue {
  held: number;
  readonly waiters: Set<Waiter>;
}

/** Grants so many permits per key, in order of arrival. A key without held permits takes no memory. */
export class Semaphore {
  /** Of each key. */
  readonly permits: number;
  readonly #refusal: (reason: string) => Error;
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, Queue>();
  #waitsEnded = false;

  constructor(permits: number, refusal: (reason: string) => Error, limits: QueueLimits = {}) {
    this.permits = permits;
    this.#refusal = refusal;
    this.#limits = limits;
  }

  count(key: string): { held: number; waiting: number } {
    const { held, waiters } = this.#queues.get(key) ?? newQueue();
    return { held, waiting: waiters.size };
  }

  countAll(): { held: number; waiting: number } {
    const counts = { held: 0, waiting: 0 };
    for (const { held, waiters } of this.#queues.values()) {
      counts.held += held;
      counts.waiting += waiters.size;
    }
    return counts;
  }

  /** Throws the refusal, or the signal's reason when it aborts first. */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Permit> {
    const queue = this.#queues.get(key) ?? newQueue();
    this.#queues.set(key, queue);
    if (queue.held < this.permits) queue.held += 1;
    else await this.#wait(queue, { ...this.#limits, ...options });
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.#release(key, queue);
        isHeld = false;
      },
    };
  }

  async run<T>(key: string, work: () => Promise<T>, options?: AcquireOptions): Promise<T> {
    const permit = await this.acquire(key, options);
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  /** Refuses all that wait, and from now on all that would have to. */
  endWaits(): void {
    this.#waitsEnded = true;
    for (const { waiters } of this.#queues.values()) {
      for (const waiter of waiters) waiter.refuse(this.#refusal('the waits have ended'));
    }
  }

  #wait(
    queue: Queue,
    { queueMax = Infinity, waitMsMax = Infinity, signal }: AcquireOptions,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waitsEnded) throw this.#refusal('the waits have ended');
    if (queue.waiters.size >= queueMax) throw this.#refusal('too many wait already');
    const waiter = new Waiter({
      waitMsMax,
      signal,
      refusal: this.#refusal,
      onEnd: () => queue.waiters.delete(waiter),
    });
    queue.waiters.add(waiter);
    return waiter.granted;
  }

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
