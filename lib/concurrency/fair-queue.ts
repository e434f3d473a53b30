/** The application and webhook whose turn an item uses. */
export interface Owner {
  readonly appUid: string;
  readonly webhookUid: string;
}

/** A queue that serves applications in turn, and the webhooks of each application in turn. */
export class FairQueue<Item extends Owner> {
  readonly #applications = new Map<string, Map<string, Set<Item>>>();

  add(item: Item): void {
    const { appUid, webhookUid } = item;
    const webhooks = this.#applications.get(appUid) ?? new Map<string, Set<Item>>();
    const items = webhooks.get(webhookUid) ?? new Set<Item>();
    this.#applications.set(appUid, webhooks.set(webhookUid, items.add(item)));
  }

  delete(item: Item): void {
    const { appUid, webhookUid } = item;
    const webhooks = this.#applications.get(appUid);
    const items = webhooks?.get(webhookUid);
    items?.delete(item);
    if (items?.size === 0) webhooks?.delete(webhookUid);
    if (webhooks?.size === 0) this.#applications.delete(appUid);
  }

  /**
   * Removes and returns the next item that may go, or undefined if none may. Only the oldest item of each webhook is
   * considered.
   */
  take(mayGo: (item: Item) => boolean): Item | undefined {
    for (const webhooks of this.#applications.values()) {
      for (const [item] of webhooks.values()) {
        if (item === undefined || !mayGo(item)) continue;
        this.#moveToEnd(item);
        this.delete(item);
        return item;
      }
    }
    return undefined;
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (const webhooks of this.#applications.values()) {
      for (const items of webhooks.values()) yield* items;
    }
  }

  // Maps iterate in insertion order.
  #moveToEnd({ appUid, webhookUid }: Owner): void {
    const webhooks = this.#applications.get(appUid);
    const items = webhooks?.get(webhookUid);
    if (webhooks === undefined || items === undefined) return;
    this.#applications.delete(appUid);
    webhooks.delete(webhookUid);
    this.#applications.set(appUid, webhooks.set(webhookUid, items));
  }
}
