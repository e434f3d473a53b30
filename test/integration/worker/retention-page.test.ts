// Which jobs a page of the retention deletes, and by which clock.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import type { JobDocument } from '../../../lib/model/job.ts';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { processLog } from '../../../lib/platform/logger.ts';
import { retentionJobUid } from '../../../lib/temporal/names.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation({ HERALD_RETENTION: '30d', HERALD_HELD_FOR: '3d' });
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

const inDays = (days: number): Date => new Date(Date.now() + days * dayMs);

/** Takes a page in a worker on a machine whose clock is ahead. */
async function takePage({ aheadDays = 0 } = {}): Promise<unknown> {
  const { store, config } = installation;
  const local = { now: () => inDays(aheadDays) };
  await using clock = await startServerClock(store, { local });
  const ports = { store, clock, ...noSignals, retention: config.retention };
  return await takeJobPage(ports, { jobUid: retentionJobUid, page: 1 });
}

const key = { appUid: 'app_1', webhookUid: 'whk_1' };

const jobOf = (createdDays: number, finishedDays: number | null): JobDocument => ({
  ...newRelease(key, inDays(createdDays)),
  startedAt: inDays(createdDays),
  state: finishedDays === null ? 'running' : 'done',
  finishedAt: finishedDays === null ? null : inDays(finishedDays),
});

test('a job is deleted when it has been over for longer than the retention, but not while it runs', async () => {
  const { jobs } = installation.store;
  const kept = [jobOf(-60, null), jobOf(-60, -29.99)];
  await jobs.insertMany([jobOf(-60, -30.01), ...kept]);
  await takePage();
  const left = await jobs.find().sort({ _id: 1 }).toArray();
  expect(left.map(({ _id }) => _id)).toEqual(kept.map(({ _id }) => _id));
});

test('a worker whose clock is 40 days ahead deletes and cancels nothing, and reports it', async () => {
  const { events, deliveries, jobs } = installation.store;
  const at = inDays(-1);
  const event = newEvent(installation, ['whk_1'], at);
  await events.insertOne({ ...event, dispatchedAt: at });
  await deliveries.insertMany(
    (['delivered', 'retrying', 'held'] as const).map((state) =>
      newDelivery(installation, at, { eventId: event._id, webhookUid: `whk_${state}`, state }),
    ),
  );
  await jobs.insertOne(jobOf(-1, -1));
  const before = await Promise.all([events, deliveries, jobs].map((each) => each.find().toArray()));
  using logged = vi.spyOn(processLog, 'warn');
  await takePage({ aheadDays: 40 });
  const after = await Promise.all([events, deliveries, jobs].map((each) => each.find().toArray()));
  expect(after).toEqual(before);
  expect(logged).toHaveBeenCalledWith({ aheadMs: expect.any(Number) }, 'clock.differs');
});
