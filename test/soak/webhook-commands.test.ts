// Random, overlapping commands at two webhooks of an application: the guarantees hold in any order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { addApp } from '../support/add-app.ts';
import { startService, type TestService } from '../support/service.ts';
import { soakSeeds } from '../support/seeded-random.ts';
import type { Real } from './webhook-commands/calls.ts';
import { sequences } from './webhook-commands/commands.ts';
import { findLate } from './webhook-commands/judge.ts';
import { isDone, type Model, newModel } from './webhook-commands/model.ts';
import { type SequencesReceiver, startSequencesReceiver } from './webhook-commands/receiver.ts';
import { begin, finish } from './webhook-commands/sequence.ts';

// They run concurrently, each with its own application.
const sequencesPerSeed = 15;
const seedMs = 600_000;

let service: TestService;
let receiver: SequencesReceiver;
const judged: { model: Model; count: number }[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startSequencesReceiver();
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** Runs a sequence on an application of its own, and keeps it to check for late requests. */
async function runSequence(commands: Iterable<fc.AsyncCommand<Model, Real>>): Promise<void> {
  const model = newModel(Date.now());
  const real = { client: await addApp(service), ...receiver.newPart(model) };
  await begin(model, real);
  try {
    await fc.asyncModelRun(() => ({ model, real }), commands);
  } finally {
    await finish(model, real);
  }
  judged.push({ model, count: model.receipts.length });
}

/** Runs the `nth` sequence of a seed, which is always the same. */
async function runNth(seed: number, nth: number): Promise<void> {
  const property = fc.asyncProperty(sequences, runSequence);
  // The effect of a race may not occur again in a shorter sequence, so there is no shrinking.
  await fc.assert(property, {
    seed: seed * 1_000 + nth,
    numRuns: 1,
    endOnFailure: true,
    unbiased: true,
    includeErrorInReport: true,
  });
}

/** Returns how much has been judged so far, so that a run that tests little is noticed. */
function sizesOf(sequences: typeof judged): Record<string, number> {
  const count = (of: (model: Model) => unknown[]): number =>
    sequences.reduce((sum, { model }) => sum + of(model).length, 0);
  return {
    sequences: sequences.length,
    webhooks: count(({ hooks }) => hooks),
    events: count(({ reports }) => reports),
    requests: count(({ receipts }) => receipts),
    failed: count(({ receipts }) => receipts.filter(({ status }) => status !== 200)),
    settings: count(({ settings }) => settings),
    discards: count(({ settings }) => settings.filter(({ discards }) => discards).filter(isDone)),
    resends: count(({ resends }) => resends.filter(isDone)),
    replays: count(({ replays }) => replays.filter(isDone)),
    erasures: count(({ erasures }) => erasures),
  };
}

test.each(soakSeeds(20))(
  'commands in any order keep every guarantee (seed %i)',
  async (seed) => {
    const runs = Array.from({ length: sequencesPerSeed }, (_, nth) => runNth(seed, nth));
    const results = await Promise.allSettled(runs);
    const faults = results.flatMap((result, nth) =>
      result.status === 'rejected' ? [`sequence ${nth}: ${String(result.reason)}`] : [],
    );
    process.stdout.write(`${JSON.stringify({ seed, ...sizesOf(judged) })}\n`);
    expect(faults.join('\n\n')).toBe('');
  },
  seedMs,
);

test('a finished sequence gets no further request', () => {
  expect(judged.flatMap(({ model, count }) => findLate(model, count))).toEqual([]);
});
