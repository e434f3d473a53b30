import type { Sender } from '../../../lib/egress/http-sender.ts';
import { watchMemory } from './memory-watch.ts';
import type { Receivers } from './receivers.ts';

// As many as the concurrent activities of a worker.
const sendsAtOnce = 200;
const firstOrigins = 2_000;
const laterOrigins = 8_000;

/** Sends once to each of 10,000 origins; memory is watched for the later ones. Throws when one fails. */
export async function measureManyOrigins(sender: Sender, receivers: Receivers) {
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
