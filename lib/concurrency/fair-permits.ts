import { FairQueue, type Owner } from './fair-queue.ts';
import { GroupLimit, type Party } from './group-limit.ts';
import { Waiter } from './waiter.ts';

interface FairPermitsOptions {
  readonly permitsMax: number;
  readonly queueMax: number;
  readonly waitMsMax: number;
  readonly refusal: (reason: string) => Error;
}

interface Waiting extends Owner {
  readonly party: Party;
  readonly grant: () => void;
}

/**
 * Permits shared by applications and other groups. Each is limited to three quarters of the permits and the queue, and
 * a member to three quarters of that. Groups, and the members of each, are served in turn.
 */
export class FairPermits {
  readonly #options: FairPermitsOptions;
  readonly #held: GroupLimit;
  readonly #queued: GroupLimit;
  readonly #queue = new FairQueue<Waiting>();

  constructor(options: FairPermitsOptions) {
    this.#options = options;
    this.#held = new GroupLimit(options.permitsMax);
    this.#queued = new GroupLimit(options.queueMax);
  }

  count(): { held: number; waiting: number } {
    return { held: this.#held.held, waiting: this.#queued.held };
  }

  /** Runs `work` with a permit. Throws the refusal if the queue is full, or after the maximum wait. */
  async run<T>(party: Party, work: () => Promise<T>): Promise<T> {
    if (this.#held.hasRoom(party)) this.#held.take(party);
    else await this.#wait(party);
    try {
      return await work();
    } finally {
      this.#held.release(party);
      this.#grant();
    }
  }

  async #wait(party: Party): Promise<void> {
    const { waitMsMax, refusal } = this.#options;
    if (!this.#queued.hasRoom(party)) throw refusal('too many requests are waiting');
    const waiter = new Waiter({
      waitMsMax,
      refusal,
      onEnd: () => {
        this.#queue.delete(waiting);
        this.#queued.release(party);
      },
    });
    const { group, member } = party;
    const waiting = { appUid: group, webhookUid: member ?? '', party, grant: waiter.grant };
    this.#queued.take(party);
    this.#queue.add(waiting);
    await waiter.granted;
  }

  #grant(): void {
    const next = this.#queue.take(({ party }) => this.#held.hasRoom(party));
    if (next === undefined) return;
    this.#held.take(next.party);
    next.grant();
  }
}
