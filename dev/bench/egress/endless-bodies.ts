// 200 receivers whose bodies never end, all the time: what they cost the sender.
import type { HttpSender, SendResult } from '../../../lib/egress/http-sender.ts';
import { type MemoryUse, watchMemory } from './memory-watch.ts';
import type { Receivers } from './receivers.ts';

const receiversAtOnce = 200;
const warmUpMs = 5_000;

export interface EndlessBodies {
  atOnce: number;
  attempts: number;
  /** Attempts by how they ended: a status, or the class of a failure. */
  outcomes: Record<string, number>;
  msMax: number;
  memory: MemoryUse;
}

/** Every second receiver pours, every other one drips; each gets its next request at once. */
export async function measureEndlessBodies(
  sender: HttpSender,
  receivers: Receivers,
  seconds: number,
): Promise<EndlessBodies> {
  const found: EndlessBodies = {
    atOnce: receiversAtOnce,
    attempts: 0,
    outcomes: {},
    msMax: 0,
    memory: { before: 0, most: 0, growth: 0, loopDelayMs: 0 },
  };
  const note = (result: SendResult): void => {
    const outcome = result.kind === 'answered' ? String(result.status) : result.errorClass;
    found.attempts += 1;
    found.outcomes[outcome] = (found.outcomes[outcome] ?? 0) + 1;
    found.msMax = Math.max(found.msMax, result.ms.total);
  };
  // The first seconds fill the caches and heaps that every process has.
  await runFor(warmUpMs, { sender, receivers, note: () => undefined });
  found.memory = await watchMemory(() => runFor(seconds * 1_000, { sender, receivers, note }));
  return found;
}

interface Run {
  readonly sender: HttpSender;
  readonly receivers: Receivers;
  readonly note: (result: SendResult) => void;
}

async function runFor(durationMs: number, { sender, receivers, note }: Run): Promise<void> {
  const until = performance.now() + durationMs;
  const body = Buffer.alloc(4 * 1024, 0x20);
  const callers = Array.from({ length: receiversAtOnce }, async (_none, receiver) => {
    const url = receivers.urlOf(receiver, receiver % 2 === 0 ? 'pour' : 'drip');
    while (performance.now() < until) note(await sender.send({ url, headers: {}, body }));
  });
  await Promise.all(callers);
}
