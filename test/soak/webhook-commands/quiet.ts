// Waits until a sequence has no unfinished work.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Real } from './calls.ts';
import { findOwed } from './owed.ts';
import type { Model } from './model.ts';
import { read, type Reading } from './reading.ts';

// Three attempts, a replay that stays 15 s behind the present, and a machine that is busy with other sequences.
const quietWithinMs = 90_000;
const checkEachMs = 250;

/** The end of a sequence: no unfinished work, or the time was up. */
export interface Quiet {
  reading: Reading;
  owed: string[];
}

/** Waits for the responses of all calls, and then, for a limited time, until no work is unfinished. */
export async function untilQuiet(model: Model, real: Real): Promise<Quiet> {
  await Promise.all(model.inFlight);
  const deadline = Date.now() + quietWithinMs;
  for (;;) {
    const reading = await read(real.client, model);
    recordReplays(model, reading);
    const owed = findOwed(model, reading, Date.now());
    if (owed.length === 0 || Date.now() > deadline) return { reading, owed };
    await sleep(checkEachMs);
  }
}

// "Cancelling enqueues no more, except for the second's worth that is being enqueued at that moment."
const cancelledWithinMs = 1_000;

function recordReplays(model: Model, { replays }: Reading): void {
  for (const replay of model.replays) {
    const shown = replays.get(replay.uid);
    if (shown === undefined || shown.finishedAt === null) continue;
    const afterMs = shown.state === 'cancelled' ? cancelledWithinMs : 0;
    replay.doneMs = Date.parse(shown.finishedAt) + afterMs;
  }
}
