// Many retries that are due at the same time, with long records, and a worker with little memory.
import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { startMissing } from '../../cli/start-missing/start-missing.ts';
import { egressLimits, limits } from '../../lib/limits.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { eventWorkflowId } from '../../lib/temporal/names.ts';
import { insertWebhook, newAttempt, newDelivery, newEvent } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

// The 500 events of a long outage would take many minutes.
const eventCount = 20;
const webhookCount = 100;
const attemptCount = 12;
const memoryMegabytesMax = 512;

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;

beforeAll(async () => {
  // A request that a busy machine cuts off is repeated, too.
  const HERALD_RETRY_SCHEDULE = Array.from({ length: limits.retryStepsMax }, () => '1s').join(',');
  installation = open.use(await createInstallation({ HERALD_RETRY_SCHEDULE }));
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
});

afterAll(() => open[Symbol.asyncDispose]());

/** Returns a delivery whose receiver has failed for hours, with a long response each time. */
function failedDelivery(
  { _id: eventId, createdAt }: EventDocument,
  webhookUid: string,
): DeliveryDocument {
  const responseSample = 'no upstream '.repeat(400).slice(0, egressLimits.responseSampleBytesMax);
  const failed = { status: 503, errorClass: 'status', state: 'retrying', responseSample } as const;
  return newDelivery(installation, createdAt, {
    eventId,
    webhookUid,
    state: 'retrying',
    statusClass: '5xx',
    errorClass: 'status',
    attemptCount,
    attempts: Array.from({ length: attemptCount }, (_, index) =>
      newAttempt(createdAt, { ...failed, n: index + 1 }),
    ),
    nextAttemptAt: new Date(),
  });
}

async function insertOutage(): Promise<void> {
  const webhooks = await Promise.all(
    Array.from({ length: webhookCount }, (_, n) =>
      insertWebhook(installation, { url: `${receiver.url}/${n}` }),
    ),
  );
  const uids = webhooks.map(({ _id }) => _id);
  const createdAt = new Date(Date.now() - 3_600_000);
  for (let n = 0; n < eventCount; n += 1) {
    const event = newEvent(installation, uids, createdAt);
    const dispatched = { workflowId: eventWorkflowId(event), dispatchedAt: createdAt };
    await installation.store.events.insertOne({ ...event, ...dispatched });
    await installation.store.deliveries.insertMany(uids.map((uid) => failedDelivery(event, uid)));
  }
}

async function startRetries(): Promise<void> {
  const { address, namespace } = installation.config.temporal;
  const connection = await Connection.connect({ address });
  const ports = { store: installation.store, client: new Client({ connection, namespace }) };
  const before = new Date();
  await startMissing(ports, [installation.app.appUid], { since: before, before });
  await connection.close();
}

/** Returns the peak memory of a process, or null if the system does not report it. */
function peakMegabytes(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

test(`a worker with ${memoryMegabytesMax} MB makes all retries that are due after an outage, whatever the previous responses were`, async () => {
  await insertOutage();
  const heap = { NODE_OPTIONS: `--max-old-space-size=${memoryMegabytesMax}` };
  await using worker = await startRole('worker', { ...installation.env, ...heap });
  await startRetries();
  const { deliveries } = installation.store;
  const { appUid } = installation.app;
  // Through an index, because a scan would slow down the retries.
  const sent = () =>
    deliveries.countDocuments({ appUid, state: 'delivered' }, { hint: 'appState' });
  await waitFor(async () => (await sent()) === eventCount * webhookCount, {
    timeoutMs: 300_000,
    what: 'every delivery recorded as delivered',
    state: sent,
  });
  expect(peakMegabytes(worker.pid) ?? 0).toBeLessThan(memoryMegabytesMax);
}, 420_000);
