import { nowMs } from './clock.ts';

/** Calls `act` `count` times, `atOnce` calls concurrently, and returns the milliseconds that this took. */
export async function inTurns(
  { count, atOnce }: { count: number; atOnce: number },
  act: () => Promise<unknown>,
): Promise<number> {
  const startedAtMs = nowMs();
  let left = count;
  async function actInTurn(): Promise<void> {
    while (left > 0) {
      left -= 1;
      await act();
    }
  }
  await Promise.all(Array.from({ length: atOnce }, actInTurn));
  return nowMs() - startedAtMs;
}
