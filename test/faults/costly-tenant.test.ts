// What one application makes large costs the others little: lists in its changes, filters of its webhooks.
import { setInterval as every } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../lib/limits.ts';
import { addApp, type TestApp } from '../support/add-app.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const webhookCount = 100;
const values = Array.from({ length: limits.filterValuesMax }, (_, n) => `wanted-${n}`);
// 210 KB, and none of them is wanted: each filter has to look at all.
const tags = Array.from({ length: 10_000 }, (_, n) => `tag-${n}-of-ten-thousand`.slice(0, 19));
const data = { uid: 'u', externalTenantId: 't', tags };
const change = JSON.stringify({ event: 'agent.updated', data });

let service: TestService;
let costly: TestApp;
let plain: TestApp;

beforeAll(async () => {
  service = await startService({ worker: false });
  [costly, plain] = [await addApp(service, 'Costly'), await addApp(service, 'Plain')];
  const owner = { ...service, app: costly };
  const filter = [{ path: 'tags', is: values }];
  for (let n = 0; n < webhookCount; n += 1) {
    await insertWebhook(owner, { url: `https://example.com/${n}`, filter });
  }
});

afterAll(() => service?.[Symbol.asyncDispose]());

/**
 * Makes `count` calls, one each `everyMs`, and returns how long each took, the shortest first. A call that is refused
 * because the process is late is made again.
 */
async function paced(
  { count, everyMs }: { count: number; everyMs: number },
  call: () => Promise<{ status: number }>,
): Promise<number[]> {
  const timed: Promise<number>[] = [];
  for await (const _ of every(everyMs)) {
    const beganAtMs = performance.now();
    const made = waitFor(async () => (await call()).status < 300, { what: 'a call that succeeds' });
    timed.push(made.then(() => performance.now() - beganAtMs));
    if (timed.length === count) break;
  }
  return (await Promise.all(timed)).toSorted((a, b) => a - b);
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0;

const signIns = () =>
  paced({ count: 120, everyMs: 40 }, () =>
    service.call('POST', '/sdkusers/auth', { body: { externalId: 'user' } }),
  );

async function signInsBeside(app: TestApp): Promise<{ signedIn: number[]; changed: number[] }> {
  const report = () => app.call('POST', '/changes', { body: change });
  const [signedIn, changed] = await Promise.all([
    signIns(),
    paced({ count: 14, everyMs: 333 }, report),
  ]);
  return { signedIn, changed };
}

test('changes with 10,000 tags beside 100 filters of 50 values delay neither sign-ins nor themselves', async () => {
  // The code is not compiled yet, and no webhook is known.
  await signInsBeside(costly);
  const calm = await signIns();
  const control = await signInsBeside(plain);
  const beside = await signInsBeside(costly);
  const p90 = { calm: share(calm, 0.9), beside: share(beside.signedIn, 0.9) };
  const p50 = { control: share(control.changed, 0.5), costly: share(beside.changed, 0.5) };
  expect(p90.beside).toBeLessThan(2 * p90.calm + 30);
  // On a quiet machine the control takes some 20 ms.
  expect(p50.costly).toBeLessThan(Math.max(100, 3 * p50.control));
});
