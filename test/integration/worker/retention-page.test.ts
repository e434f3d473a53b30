// Which jobs a page of the retention deletes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeJobPage } from '../../../lib/deliveries/job-pages.ts';
import { newRelease } from '../../../lib/deliveries/jobs.ts';
import type { JobDocument } from '../../../lib/model/job.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { retentionJobUid } from '../../../lib/temporal/names.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation({ HERALD_RETENTION: '30d', HERALD_HELD_FOR: '3d' });
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

const inDays = (days: number): Date => new Date(Date.now() + days * dayMs);

function takePage(): Promise<unknown> {
  const { store, config } = installation;
  const ports = { store, clock: systemClock, ...noSignals, retention: config.retention };
  return takeJobPage(ports, { jobUid: retentionJobUid, page: 1 });
}

const key = { appUid: 'app_1', webhookUid: 'whk_1' };

const jobOf = (createdDays: number, finishedDays: number | null): JobDocument => ({
  ...newRelease(key, inDays(createdDays)),
  startedAt: inDays(createdDays),
  state: finishedDays === null ? 'running' : 'done',
  finishedAt: finishedDays === null ? null : inDays(finishedDays),
});

test('a job is deleted when it has been over for longer than the retention, not while it runs', async () => {
  const { jobs } = installation.store;
  const kept = [jobOf(-60, null), jobOf(-60, -29.99)];
  await jobs.insertMany([jobOf(-60, -30.01), ...kept]);
  await takePage();
  const left = await jobs.find().sort({ _id: 1 }).toArray();
  expect(left.map(({ _id }) => _id)).toEqual(kept.map(({ _id }) => _id));
});
