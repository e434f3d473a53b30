import type { Store } from '../mongo/connect.ts';
import { deliveryLog } from '../platform/logger.ts';

const writeEveryMs = 1_000;

/**
 * Moves `lastTriggeredAt` of webhooks forward, never back. The time is only shown to people, so the updates of a second
 * are written together at its end, or when the recorder closes.
 */
export class TriggerRecorder implements AsyncDisposable {
  readonly #store: Store;
  #latest = new Map<string, Date>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  record(webhookUid: string, at: Date): void {
    const latest = this.#latest.get(webhookUid);
    if (latest === undefined || latest < at) this.#latest.set(webhookUid, at);
    this.#timer ??= setTimeout(() => this.#write(), writeEveryMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) this.#write();
    await this.#writing;
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const times = this.#latest;
    this.#latest = new Map();
    this.#writing = Promise.all([this.#writing, this.#writeTimes(times)]).then(() => undefined);
  }

  async #writeTimes(times: ReadonlyMap<string, Date>): Promise<void> {
    const updates = [...times].map(([_id, at]) => ({
      updateOne: { filter: { _id }, update: { $max: { lastTriggeredAt: at } } },
    }));
    try {
      await this.#store.webhooks.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    } catch (error) {
      // The next attempt of each webhook writes a later time.
      deliveryLog.warn({ err: error }, 'delivery.triggers_not_written');
    }
  }
}
