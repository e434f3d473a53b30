// The event stream over a restart of the api and a connection that is interrupted for a minute.
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

test('over a restart and an interruption of 60 s, a resuming reader gets each of 1,000 changes once', async () => {
  const course = await readThroughCuts(installation, { changes: 1_000, cutMs: 60_000 });
  const { stopMs, ...counts } = course;
  const whole = { reported: 1_000, lost: 0, repeated: 0 };
  expect(counts).toEqual({ ...whole, reason: 'stopping', errors: [] });
  expect(stopMs).toBeLessThan(4_000);
}, 180_000);
