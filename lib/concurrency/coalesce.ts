import { inTime } from './in-time.ts';

export interface CoalesceOptions {
  itemsPerCallMax: number;
  callsAtOnceMax: number;
  /** How long an item waits for others; by default for its turn of the event loop. */
  lingerMs?: number;
  /** After it the items of a call reject and the next call begins. */
  callTimeoutMs?: number;
}

const defaultCallTimeoutMs = 5_000;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Makes one call of concurrent ones. An item never joins a call that has begun, so what it reads is as
 * fresh as a read of its own. `call` returns the results in the items' order; when it rejects, or with a
 * `CallTimeoutError` takes longer than `callTimeoutMs` (5 s), all of its items reject.
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
