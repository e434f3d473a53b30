import { inTime } from './in-time.ts';

export interface CoalesceOptions {
  itemsPerCallMax: number;
  callsAtOnceMax: number;
  /** How long an item waits for others; by default for its turn of the event loop. */
  lingerMs?: number;
  callTimeoutMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * Merges concurrent calls into `call`, which returns a result per item, in order; its error rejects them all.
 * No item joins a call that has begun, so that its read is as fresh as one of its own.
 */
export function coalesce<Item, Result>(
  { itemsPerCallMax, callsAtOnceMax, lingerMs = 0, callTimeoutMs = 5_000 }: CoalesceOptions,
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
