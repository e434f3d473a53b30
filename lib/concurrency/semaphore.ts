import { Waiter } from './waiter.ts';

interface QueueLimits {
  readonly queueMax?: number;
  readonly waitMsMax?: number;
}

interface Queue {
  held: number;
  readonly waiters: Set<Waiter>;
}

/** Grants a number of permits per key, in order of arrival. A key without held permits uses no memory. */
export class Semaphore {
  readonly #permits: number;
  readonly #refusal: (reason: string) => Error;
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, Queue>();

  constructor(permits: number, refusal: (reason: string) => Error, limits: QueueLimits = {}) {
    this.#permits = permits;
    this.#refusal = refusal;
    this.#limits = limits;
  }

  /** Runs `work` with a permit of the key. Throws the refusal if the queue is full, or after the maximum wait. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? { held: 0, waiters: new Set() };
    this.#queues.set(key, queue);
    if (queue.held < this.#permits) queue.held += 1;
    else await this.#wait(queue);
    try {
      return await work();
    } finally {
      this.#release(key, queue);
    }
  }

  #wait({ waiters }: Queue): Promise<void> {
    const { queueMax = Infinity, ...limits } = this.#limits;
    if (waiters.size >= queueMax) throw this.#refusal('too many requests are waiting');
    const waiter = new Waiter({
      ...limits,
      refusal: this.#refusal,
      onEnd: () => waiters.delete(waiter),
    });
    waiters.add(waiter);
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
