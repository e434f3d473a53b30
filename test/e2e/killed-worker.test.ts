// A worker killed with 200 deliveries in its hands: all are made again soon, and only those twice.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Disposal } from '../../lib/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation } from '../support/installation.ts';
import type { Installation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import type { RoleProcess } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

// Ten origins, because no more than 32 requests go to one of them at once (lib/net/http-sender.ts).
const receiverCount = 10;
const changeCount = 20;
const inFlightCount = receiverCount * changeCount;

const open = new Disposal();
let installation: Installation;
let api: RoleProcess;
let worker: RoleProcess;
/** What the start of a process takes on this machine, busy as it is. */
let startMs: number;
/** What the receivers hold; null once they answer at once. */
let held: ServerResponse[] | null = [];
const arrivals: { delivery: string; attempt: string; atMs: number }[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  for (let n = 0; n < receiverCount; n += 1) {
    const receiver = open.use(
      await startReceiver((response, request) => {
        arrivals.push({ delivery: deliveryOf(request), ...factsOf(request) });
        if (held === null) response.writeHead(200).end();
        else held.push(response);
      }),
    );
    await insertWebhook(installation, { url: `${receiver.url}/${n}` });
  }
  const beganAtMs = performance.now();
  [api, worker] = await Promise.all([
    startRole('api', installation.env),
    startRole('worker', installation.env),
  ]);
  startMs = performance.now() - beganAtMs;
  open.use(api);
});

afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

const deliveryOf = ({ headers, path }: ReceivedRequest): string =>
  `${String(headers['x-webhook-event-id'])}${path}`;

const factsOf = ({ headers }: ReceivedRequest) => ({
  attempt: String(headers['x-webhook-attempt']),
  atMs: performance.now(),
});

test('a worker killed with 200 deliveries in flight: the next begins all of them within 10 s, and none a third time', async () => {
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  const answers = await Promise.all(
    Array.from({ length: changeCount }, (_, n) =>
      client.call('POST', '/changes', {
        body: {
          event: 'agent.updated',
          data: { uid: `agt_${n}`, externalTenantId: 'tenant-1' },
        },
      }),
    ),
  );
  expect(answers.map((answer) => answer.status)).toEqual(Array(changeCount).fill(202));
  // All within the 5 s of an attempt, or the first would have ended.
  await waitFor(() => held?.length === inFlightCount, { what: '200 deliveries in flight' });
  expect(arrivals).toHaveLength(inFlightCount);

  const killedAtMs = performance.now();
  held = null;
  await worker.end('SIGKILL');
  // Nobody else is there: the time to recover holds the start of the process that takes over.
  worker = await startRole('worker', installation.env);
  const { deliveries } = installation.store;
  await waitFor(
    async () => (await deliveries.countDocuments({ state: 'delivered' })) === inFlightCount,
    { what: 'every delivery recorded as delivered' },
  );

  const again = arrivals.slice(inFlightCount);
  // The duplicates: exactly what was in flight, since the receivers never answered any of it.
  expect(again).toHaveLength(inFlightCount);
  expect(new Set(again.map((arrival) => arrival.delivery)).size).toBe(inFlightCount);
  // A machine on which a process starts in two seconds does it in ten; for a slower one that is the measure.
  const limitMs = Math.max(10_000, 5 * startMs);
  for (const { attempt, atMs } of again) {
    // The attempt that was cut off was never recorded, so it has the same number.
    expect(attempt).toBe('1');
    expect(atMs - killedAtMs).toBeLessThan(limitMs);
  }
  expect(await deliveries.countDocuments({ attemptCount: 1 })).toBe(inFlightCount);
});
