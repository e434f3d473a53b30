import { withTimeout } from './with-timeout.ts';

export interface CoalesceOptions {
  itemsPerCallMax: number;
  /** Per queue. */
  concurrentCallsMax: number;
  /** How long an item waits for others; by default until the end of the event loop turn. */
  lingerMs?: number;
  callTimeoutMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

interface Queue<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  running: number;
  scheduled: boolean;
}

/**
 * Merges concurrent items of a queue into one `call`, which returns a result per item, in order; its error rejects them
 * all. No item joins a call that has begun, so reads are as fresh as individual ones. By default there is one queue.
 */
export function coalesce<Item, Result>(
  { itemsPerCallMax, concurrentCallsMax, lingerMs = 0, callTimeoutMs = 5_000 }: CoalesceOptions,
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  queueOf: (item: Item) => string = () => '',
): (item: Item) => Promise<Result> {
  // Contains only queues with waiting or running items.
  const queues = new Map<string, Queue<Item, Result>>();

  function schedule(name: string, queue: Queue<Item, Result>): void {
    const { waiting, running } = queue;
    if (waiting.length === 0 && running === 0) queues.delete(name);
    if (queue.scheduled || running >= concurrentCallsMax || waiting.length === 0) return;
    queue.scheduled = true;
    const begin = (): void => {
      queue.scheduled = false;
      void run(name, queue);
      schedule(name, queue);
    };
    if (lingerMs === 0 || waiting.length >= itemsPerCallMax) setImmediate(begin);
    else setTimeout(begin, lingerMs);
  }

  async function run(name: string, queue: Queue<Item, Result>): Promise<void> {
    const entries = queue.waiting.splice(0, itemsPerCallMax);
    queue.running += 1;
    try {
      const results = await withTimeout(call(entries.map((entry) => entry.item)), callTimeoutMs);
      for (const [index, entry] of entries.entries()) entry.resolve(results[index] as Result);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
    queue.running -= 1;
    schedule(name, queue);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const name = queueOf(item);
      const queue = queues.get(name) ?? { waiting: [], running: 0, scheduled: false };
      queues.set(name, queue);
      queue.waiting.push({ item, resolve, reject });
      schedule(name, queue);
    });
}
