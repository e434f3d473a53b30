// Thousands of origins, one request each: what is kept of them.
import type { HttpSender } from '../../../lib/egress/http-sender.ts';
import { type MemoryUse, watchMemory } from './memory-watch.ts';
import type { Receivers } from './receivers.ts';

/** As many as the activities that a worker runs at once. */
const sendsAtOnce = 200;
const firstOrigins = 2_000;
const laterOrigins = 8_000;

export interface ManyOrigins {
  /** How many came first and, while memory was watched, later. */
  first: number;
  later: number;
  memory: MemoryUse;
}

/** Sends once to each of 10,000 origins. Throws when one does not answer. */
export async function measureManyOrigins(
  sender: HttpSender,
  receivers: Receivers,
): Promise<ManyOrigins> {
  let next = 0;
  const sendUntil = async (end: number): Promise<void> => {
    const callers = Array.from({ length: sendsAtOnce }, async () => {
      while (next < end) {
        const url = receivers.urlOf(next, 'plain');
        next += 1;
        const result = await sender.send({ url, headers: {}, body: '{}' });
        if (result.kind === 'failed') throw new Error(`${url} failed: ${result.detail}`);
      }
    });
    await Promise.all(callers);
  };
  await sendUntil(firstOrigins);
  const memory = await watchMemory(() => sendUntil(firstOrigins + laterOrigins));
  return { first: firstOrigins, later: laterOrigins, memory };
}
