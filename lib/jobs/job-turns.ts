// Few long jobs of an application run at the same time, and one replay or sync of a webhook. The others wait until the
// relay lets them begin.
import type { ClientSession } from 'mongodb';
import { lockApp } from '../access/apps.ts';
import { dispatchLimits, jobLimits } from '../limits.ts';
import type { JobFacts, JobToStart, LongJob } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { inTransaction, within } from '../mongo/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { relayLog } from '../platform/logger.ts';
import { toStart } from './jobs.ts';

const { runningPerKindMax, unfinishedPerKindMax } = jobLimits;
// In random order, so that each application has its turn.
const appsPerSweepMax = 100;

export type UnfinishedJob = Pick<JobToStart, '_id' | 'kind' | 'webhookUids'> &
  Pick<LongJob, 'state'>;

/** Returns the uids of waiting jobs that may begin. `unfinished` are those of one application, oldest first. */
export function chooseJobs(unfinished: readonly UnfinishedJob[]): string[] {
  const running = unfinished.filter(({ state }) => state === 'running');
  const busy = new Set(running.flatMap(({ webhookUids }) => webhookUids));
  const counts = new Map<string, number>();
  for (const { kind } of running) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const chosen: string[] = [];
  for (const { _id, kind, webhookUids } of unfinished.filter(({ state }) => state === 'waiting')) {
    const count = counts.get(kind) ?? 0;
    if (count < runningPerKindMax && !webhookUids.some((uid) => busy.has(uid))) {
      chosen.push(_id);
      counts.set(kind, count + 1);
    }
    // Also those of a job that waits, so that a later one does not overtake it.
    for (const uid of webhookUids) busy.add(uid);
  }
  return chosen;
}

/** Inserts a job, waiting or running, and returns its state. Throws `limit_reached`. */
export async function insertJob(
  store: Store,
  job: LongJob,
  session: ClientSession,
): Promise<JobFacts['state']> {
  const { _id, appUid, kind } = job;
  await lockApp(store, appUid, session);
  const unfinished = await findUnfinished(store, appUid, session);
  if (unfinished.filter((each) => each.kind === kind).length >= unfinishedPerKindMax) {
    const detail = `an application may have at most ${unfinishedPerKindMax} unfinished jobs of this kind`;
    throw new AppError('limit_reached', detail);
  }
  const own = { ...toStart(job), state: 'waiting' } as const;
  const state = chooseJobs([...unfinished, own]).includes(_id) ? 'running' : 'waiting';
  await store.jobs.insertOne({ ...job, state }, { session });
  return state;
}

/** Lets waiting jobs begin whose turn it is; the relay then starts them. */
export async function beginWaitingJobs(store: Store): Promise<void> {
  const appUids = await store.jobs.distinct('appUid', { state: 'waiting' });
  for (const appUid of appUids.toSorted(() => Math.random() - 0.5).slice(0, appsPerSweepMax)) {
    if (chooseJobs(await findUnfinished(store, appUid)).length === 0) continue;
    try {
      await beginChosen(store, appUid);
    } catch (error) {
      // An application whose own requests conflict with this waits for the next sweep, and nobody else does.
      if (!(error instanceof AppError)) throw error;
      relayLog.warn({ appUid, err: error }, 'relay.start_failed');
    }
  }
}

function beginChosen(store: Store, appUid: string): Promise<void> {
  const begin = async (session: ClientSession): Promise<void> => {
    await lockApp(store, appUid, session);
    const chosen = chooseJobs(await findUnfinished(store, appUid, session));
    await store.jobs.updateMany(
      { _id: { $in: chosen }, state: 'waiting' },
      { $set: { state: 'running' } },
      { session },
    );
  };
  return inTransaction(store, begin, performance.now() + dispatchLimits.relayEveryMs);
}

async function findUnfinished(
  store: Store,
  appUid: string,
  session?: ClientSession,
): Promise<UnfinishedJob[]> {
  const kinds = ['replay', 'sync', 'erasure'] as const;
  const projection = { appUid: 1, kind: 1, state: 1, webhookUid: 1, webhookUids: 1 };
  const found = await store.jobs
    .find({ appUid, finishedAt: null, kind: { $in: kinds } }, { projection, ...within(session) })
    .sort({ _id: 1 })
    .toArray();
  return found.map((job) => ({ ...toStart(job), state: job.state }));
}
