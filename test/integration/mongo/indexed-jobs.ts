// Jobs of every kind that an index distinguishes.
import { newErasure } from '../../../lib/jobs/erasures.ts';
import { newJob, newRelease } from '../../../lib/jobs/jobs.ts';
import type { Installation } from '../../support/installation.ts';
import { newReplayJob, newSyncJob } from '../../support/jobs.ts';

interface Many {
  /** The webhook of one replay. */
  webhookUid: string;
  /** How many releases, and replays of other webhooks. */
  count: number;
  at: Date;
}

/** Writes jobs that have a workflow, and one release that has none. */
export async function writeJobs(
  { store, app }: Installation,
  { webhookUid, count, at }: Many,
): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const make = () => newRelease({ appUid, webhookUid: 'whk_other' }, at);
  const started = numbers.map(() => ({ ...make(), startedAt: at }));
  const replays = [webhookUid, ...numbers.map((n) => `whk_${n}`)].map((uid) =>
    newReplayJob({ appUid, webhookUid: uid, createdAt: at, startedAt: at }),
  );
  const others = [
    { ...newJob(appUid, at), kind: 'resend' as const, eventId: 'evt_1', webhookUids: [] },
    newSyncJob({ appUid, webhookUid: 'whk_other', createdAt: at }),
    newErasure(appUid, { externalTenantId: 'tenant-nobody' }, at),
  ].map((job) => ({ ...job, startedAt: at }));
  const waiting = { webhookUid: 'whk_waiting', createdAt: at, state: 'waiting' } as const;
  const all = [...started, make(), ...replays, ...others, newReplayJob({ appUid, ...waiting })];
  await store.jobs.insertMany(all);
}
