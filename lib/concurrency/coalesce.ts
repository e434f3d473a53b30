// Makes one call of many: what is asked for at the same time is done together.
import { inTime } from './in-time.ts';

export interface CoalesceOptions {
  /** How many items one call takes at most. */
  itemsPerCallMax: number;
  /** How many calls run at once at most; what comes meanwhile waits and goes with the next. */
  callsAtOnceMax: number;
  /**
   * How long an item waits for company before its call begins; by default for no longer than the
   * turn of the event loop in which it came.
   */
  lingerMs?: number;
  /** After so long a call is given up: its items reject and the next call begins. */
  callTimeoutMs?: number;
}

const defaultCallTimeoutMs = 5_000;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Gives a function that takes one item and does it together with others. An item never joins a call
 * that has begun, so what it reads is as fresh as a read of its own. A lone item is done in the turn
 * of the event loop in which it came (or after `lingerMs`); under load calls grow instead of queueing up.
 * `call` gives a result an item, in the items' order; when it rejects, all of its items do. Those of a call
 * that takes longer than `callTimeoutMs` (5 s) reject with a `CallTimeoutError`.
 */
export function coalesce<Item, Result>(
  {
    itemsPerCallMax,
    callsAtOnceMax,
    lingerMs = 0,
    callTimeoutMs = defaultCallTimeoutMs,
  }: CoalesceOptions,
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || running >= callsAtOnceMax || waiting.length === 0) return;
    scheduled = true;
    const begin = (): void => {
      scheduled = false;
      void run(waiting.splice(0, itemsPerCallMax));
      schedule();
    };
    if (lingerMs === 0 || waiting.length >= itemsPerCallMax) setImmediate(begin);
    else setTimeout(begin, lingerMs);
  }

  async function run(entries: readonly Waiting<Item, Result>[]): Promise<void> {
    running += 1;
    try {
      const results = await inTime(call(entries.map((entry) => entry.item)), callTimeoutMs);
      for (const [index, entry] of entries.entries()) entry.resolve(results[index] as Result);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    } finally {
      running -= 1;
      schedule();
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
