// Waits until nothing is owed any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Real } from './calls.ts';
import { findOwed } from './owed.ts';
import type { Model } from './model.ts';
import { read, type Reading } from './reading.ts';

// Three attempts, a replay that stays 15 s behind the present, and a machine that is busy with other sequences.
const quietWithinMs = 90_000;
const lookEachMs = 250;

/** What came of a sequence: nothing is owed any more, or the time was up. */
export interface Quiet {
  reading: Reading;
  owed: string[];
}

/** Waits for the answers of all calls, and then until nothing is owed, but for so long at most. */
export async function untilQuiet(model: Model, real: Real): Promise<Quiet> {
  await Promise.all(model.underway);
  const deadline = Date.now() + quietWithinMs;
  for (;;) {
    const reading = await read(real.client, model);
    noteReplays(model, reading);
    const owed = findOwed(model, reading, Date.now());
    if (owed.length === 0 || Date.now() > deadline) return { reading, owed };
    await sleep(lookEachMs);
  }
}

// "Cancelling hands nothing more on, but for a second's worth that is being handed on at that moment."
const cancelledWithinMs = 1_000;

function noteReplays(model: Model, { replays }: Reading): void {
  for (const replay of model.replays) {
    const told = replays.get(replay.uid);
    if (told === undefined || told.finishedAt === null) continue;
    const afterMs = told.state === 'cancelled' ? cancelledWithinMs : 0;
    replay.doneMs = Date.parse(told.finishedAt) + afterMs;
  }
}
