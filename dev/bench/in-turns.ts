import { nowMs } from './clock.ts';

export interface Order {
  count: number;
  atOnce: number;
}

export interface Done {
  latenciesMs: number[];
  tookMs: number;
}

/** Calls `act` `count` times, `atOnce` calls concurrently. `act` returns its own latency. */
export async function inTurns({ count, atOnce }: Order, act: () => Promise<number>): Promise<Done> {
  const startedAtMs = nowMs();
  const latenciesMs: number[] = [];
  let left = count;
  async function actInTurn(): Promise<void> {
    while (left > 0) {
      left -= 1;
      latenciesMs.push(await act());
    }
  }
  await Promise.all(Array.from({ length: atOnce }, actInTurn));
  return { latenciesMs, tookMs: nowMs() - startedAtMs };
}
