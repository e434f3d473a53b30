// The present state of many agents sent to a webhook, beside a light load of another application.
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { jobLimits, limits } from '../../../lib/limits.ts';
import { openStates } from '../../../lib/model/delivery-state.ts';
import type { SyncJob } from '../../../lib/model/job.ts';
import { sequenceId } from '../../../lib/mongo/sequences.ts';
import { type BenchApp, makeApp } from '../app.ts';
import { compareBeside } from '../beside.ts';
import { nowMs } from '../clock.ts';
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

/** The maximum ratio of the p99 of a light load beside a sync at the default rate to its p99 alone. */
export const syncTimesMax = 1.5;

const pollEveryMs = 1_000;
// A sync begins with a wait of 15 s, and its last deliveries need some time.
const graceMs = 120_000;
const slownessMax = 2;
const hooks = { matching: 1 };

interface Size {
  agentCount: number;
  perSecond: number;
}

export const sync: Scenario = {
  name: 'sync',
  about:
    '20 changes a second: alone, and beside a sync of another application of 2,400 agents (20 a second) and 100,000 (100 a second)',
  isMain: false,
  async run(bench) {
    const { settings } = bench;
    const load = openLoad(settings, 20, sized(settings, 120, 5));
    const alone = await measure(bench, { name: 'alone', hooks, load });
    const aloneMs = alone.receiptMs?.p99;
    const usual = await measureBeside(bench, {
      agentCount: sized(settings, 2_400, 100),
      perSecond: jobLimits.releasedPerSecondDefault,
    });
    const fast = await measureBeside(bench, {
      agentCount: sized(settings, 100_000, 1_000),
      perSecond: limits.replayedPerSecondMax,
    });
    const compared = [
      compareBeside({ ...usual, aloneMs, timesMax: syncTimesMax }),
      compareBeside({ ...fast, aloneMs }),
    ];
    return {
      measurements: [alone, usual.measurement, fast.measurement],
      notes: [...usual.notes, ...fast.notes, ...compared.map(({ note }) => note)],
      missed: [usual, fast, ...compared].flatMap(({ missed }) => missed),
    };
  },
};

/** Measures the light load during the first nine tenths of a sync. */
async function measureBeside(bench: Bench, size: Size) {
  const { agentCount, perSecond } = size;
  const what = `beside a sync of ${agentCount} agents, ${perSecond} a second`;
  bench.say(`  making ${agentCount} agents`);
  const app = await makeChangedAgents(bench, agentCount);
  const followed = { jobUid: '', notes: [] as string[], missed: [] as string[] };
  const measurement = await measure(bench, {
    name: what,
    hooks,
    load: openLoad(bench.settings, 20, (0.9 * agentCount) / perSecond),
    async prepare() {
      followed.jobUid = await startSync(bench, app, perSecond);
    },
    async during() {
      Object.assign(followed, await followSync(bench, { ...size, app, jobUid: followed.jobUid }));
    },
  });
  return {
    ...followed,
    what: `the light load, ${what}`,
    measurement,
    besideMs: measurement.receiptMs?.p99,
  };
}

/** Makes an application with one webhook, and agents of which each has been changed once. */
async function makeChangedAgents(bench: Bench, agentCount: number): Promise<BenchApp> {
  const app = await makeApp(bench, { name: 'sync', hooks: { matching: 1 }, agentCount });
  const { appUid } = app;
  const sequences = Array.from({ length: agentCount }, (_, n) => {
    const resourceUid = app.agentOf(n)._id;
    return { _id: sequenceId({ appUid, entity: 'agent', resourceUid }), last: 1 };
  });
  await bench.service.store.sequences.insertMany(sequences);
  return app;
}

/** Starts a sync, and waits until it has sent something. Returns its uid. */
async function startSync(
  bench: Bench,
  { appUid, apiKey, hookUids }: BenchApp,
  perSecond: number,
): Promise<string> {
  const { apiUrl, store } = bench.service;
  const url = `${apiUrl}/api/v1/appuid/${appUid}/webhooks/${hookUids[0]}/sync`;
  const answer = await request(url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ perSecond }),
  });
  if (answer.statusCode !== 202) throw new Error(`no sync: ${await answer.body.text()}`);
  const { uid } = (await answer.body.json()) as { uid: string };
  const endMs = nowMs() + graceMs;
  while ((await findSync(store, uid)).count === 0) {
    if (nowMs() > endMs) throw new Error(`the sync ${uid} does not begin`);
    await delay(pollEveryMs, undefined, { signal: bench.signal });
  }
  return uid;
}

async function findSync({ jobs }: Bench['service']['store'], uid: string): Promise<SyncJob> {
  const job = await jobs.findOne({ _id: uid });
  if (job?.kind !== 'sync') throw new Error(`there is no sync ${uid}`);
  return job;
}

interface Followed extends Size {
  app: BenchApp;
  jobUid: string;
}

/** Waits until everything is delivered, and returns the rate. */
async function followSync(bench: Bench, { app, agentCount, perSecond, jobUid }: Followed) {
  const { store } = bench.service;
  const webhookUid = app.hookUids[0] ?? '';
  const endMs = nowMs() + (slownessMax * agentCount * 1_000) / perSecond + graceMs;
  let job = await findSync(store, jobUid);
  while (job.state === 'running' || (await hasOpen(bench, app))) {
    if (nowMs() > endMs) throw new Error(`the sync did not end: ${job.count} of ${agentCount}`);
    await delay(pollEveryMs, undefined, { signal: bench.signal });
    job = await findSync(store, jobUid);
  }
  const tookSeconds = (Date.now() - job.createdAt.getTime()) / 1_000;
  const delivered = await store.deliveries.countDocuments({ webhookUid, state: 'delivered' });
  const attempted = { webhookUid, attemptCount: { $gt: 1 } };
  const repeated = await store.deliveries.countDocuments(attempted);
  const rate = (delivered / tookSeconds).toFixed(1);
  return {
    notes: [
      `${delivered} of ${agentCount} agents were delivered within ${Math.round(tookSeconds)} s of the call, ` +
        `${rate} a second; ${repeated} deliveries needed more than one attempt.`,
    ],
    missed: delivered === agentCount ? [] : [`${agentCount - delivered} agents were not delivered`],
  };
}

async function hasOpen(
  { service }: Bench,
  { appUid, hookUids: [webhookUid = ''] }: BenchApp,
): Promise<boolean> {
  const filter = { appUid, webhookUid, state: { $in: [...openStates] } };
  return (await service.store.deliveries.findOne(filter, { projection: { _id: 1 } })) !== null;
}
