// The event stream over a restart of the api and an interrupted connection.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readThroughCuts } from '../support/cut-stream.ts';
import { createInstallation, type Installation } from '../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

test('over a restart and an interruption of 2 s, a resuming reader gets each of 300 changes once, and the stop is quick', async () => {
  const course = await readThroughCuts(installation, { changes: 300, cutMs: 2_000 });
  const { stopMs, ...counts } = course;
  const whole = { reported: 300, lost: 0, repeated: 0 };
  expect(counts).toEqual({ ...whole, reason: 'stopping', errors: [] });
  // Less than the 8 s after which open requests are cut.
  expect(stopMs).toBeLessThan(7_000);
});
