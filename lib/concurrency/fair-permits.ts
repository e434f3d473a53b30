import { FairQueue, type Owner } from './fair-queue.ts';
import { SharedLimit } from './shared-limit.ts';
import { Waiter } from './waiter.ts';

interface FairPermitsOptions {
  readonly permitsMax: number;
  readonly queueMax: number;
  readonly waitMsMax: number;
  readonly refusal: (reason: string) => Error;
}

interface Waiting extends Owner {
  readonly grant: () => void;
}

/** Permits shared by applications, each limited to three quarters of the permits and the queue, and served in turn. */
export class FairPermits {
  readonly #options: FairPermitsOptions;
  readonly #held: SharedLimit;
  readonly #queued: SharedLimit;
  readonly #queue = new FairQueue<Waiting>();

  constructor(options: FairPermitsOptions) {
    this.#options = options;
    this.#held = new SharedLimit(options.permitsMax);
    this.#queued = new SharedLimit(options.queueMax);
  }

  count(): { held: number; waiting: number } {
    return { held: this.#held.held, waiting: this.#queued.held };
  }

  /** Runs `work` with a permit. Throws the refusal if the queue is full, or after the maximum wait. */
  async run<T>(appUid: string, work: () => Promise<T>): Promise<T> {
    if (this.#held.hasRoom(appUid)) this.#held.take(appUid);
    else await this.#wait(appUid);
    try {
      return await work();
    } finally {
      this.#held.release(appUid);
      this.#grant();
    }
  }

  async #wait(appUid: string): Promise<void> {
    const { waitMsMax, refusal } = this.#options;
    if (!this.#queued.hasRoom(appUid)) throw refusal('too many requests are waiting');
    const waiter = new Waiter({
      waitMsMax,
      refusal,
      onEnd: () => {
        this.#queue.delete(waiting);
        this.#queued.release(appUid);
      },
    });
    const waiting = { appUid, webhookUid: '', grant: waiter.grant };
    this.#queued.take(appUid);
    this.#queue.add(waiting);
    await waiter.granted;
  }

  #grant(): void {
    const next = this.#queue.take(({ appUid }) => this.#held.hasRoom(appUid));
    if (next === undefined) return;
    this.#held.take(next.appUid);
    next.grant();
  }
}
