import type { Sender, SendResult } from '../../../lib/egress/http-sender.ts';
import { watchMemory } from './memory-watch.ts';
import type { Receivers } from './receivers.ts';

const receiversAtOnce = 200;
const warmUpMs = 5_000;

/** Measures what 200 receivers with endless bodies, half fast and half slow, cost the sender. */
export async function measureEndlessBodies(sender: Sender, receivers: Receivers, seconds: number) {
  const outcomes: Record<string, number> = {};
  const found = { atOnce: receiversAtOnce, attempts: 0, outcomes, msMax: 0 };
  const record = (result: SendResult): void => {
    const outcome = result.kind === 'answered' ? String(result.status) : result.errorClass;
    found.attempts += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    found.msMax = Math.max(found.msMax, result.ms.total);
  };
  // The first seconds fill caches and heaps.
  await runFor(warmUpMs, { sender, receivers, record: () => undefined });
  const memory = await watchMemory(() => runFor(seconds * 1_000, { sender, receivers, record }));
  return { ...found, memory };
}

interface Run {
  sender: Sender;
  receivers: Receivers;
  record: (result: SendResult) => void;
}

async function runFor(durationMs: number, { sender, receivers, record }: Run): Promise<void> {
  const until = performance.now() + durationMs;
  const body = Buffer.alloc(4 * 1024, 0x20);
  const callers = Array.from({ length: receiversAtOnce }, async (_none, receiver) => {
    const url = receivers.urlOf(receiver, receiver % 2 === 0 ? 'pour' : 'drip');
    while (performance.now() < until) record(await sender.send({ url, headers: {}, body }));
  });
  await Promise.all(callers);
}
