import type { AnyBulkWriteOperation } from 'mongodb';
import type { StoredWebhook } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { deliveryLog } from '../platform/logger.ts';

const writeEveryMs = 1_000;

/**
 * Moves `lastTriggeredAt` of webhooks forward to the times of their attempts, never back. The times are for people: all
 * of a second are written together at its end, or when the recorder closes.
 */
export class TriggerRecorder implements AsyncDisposable {
  readonly #store: Store;
  /** By the webhook's uid. */
  #latest = new Map<string, Date>();
  #timer: NodeJS.Timeout | null = null;
  #writing = Promise.resolve();

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
    const updates = bySecond(times).map(toUpdate);
    this.#writing = this.#store.webhooks
      .bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } })
      .then(
        () => undefined,
        // The next attempt at each of them writes a later time.
        (error: unknown) => deliveryLog.warn({ err: error }, 'delivery.triggers_not_written'),
      );
  }
}

type Trigger = readonly [webhookUid: string, at: Date];

/** Returns groups that an update each can write: their times differ by less than a second. */
function bySecond(triggers: Iterable<Trigger>): Trigger[][] {
  const groups = new Map<number, Trigger[]>();
  for (const trigger of triggers) {
    const second = Math.floor(trigger[1].getTime() / 1_000);
    const group = groups.get(second);
    if (group === undefined) groups.set(second, [trigger]);
    else group.push(trigger);
  }
  return [...groups.values()];
}

function toUpdate(triggers: readonly Trigger[]): AnyBulkWriteOperation<StoredWebhook> {
  const filter = { _id: { $in: triggers.map(([webhookUid]) => webhookUid) } };
  const latest = new Date(Math.max(...triggers.map(([, at]) => at.getTime())));
  return { updateMany: { filter, update: { $max: { lastTriggeredAt: latest } } } };
}
