// The service on servers like in production, under a steady load, with faults of these servers one after another.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../lib/config/config.ts';
import { factsOnly } from '../../lib/events/events.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { type Cluster, startCluster } from '../../dev/servers/cluster/cluster.ts';
import { findClusterPrograms } from '../../dev/servers/cluster/find-programs.ts';
import { makeDevSecrets } from '../../dev/start/dev-secrets.ts';
import { launch } from '../../dev/start/launch.ts';
import {
  type Answers,
  keepAcknowledged,
  type Load,
  makeCalls,
  prepareMix,
  registerWebhooks,
} from './changes.ts';
import { missingEvents, settle } from './fault-run.ts';
import { createLightClient, type Receipt, startLightReceiver } from './light-ends.ts';
import { soakSeeds } from '../support/seeded-random.ts';
import { responsesOf, type Variant, variantOf } from './variant.ts';
import { judge, type Verdict } from './judge-deliveries.ts';

export interface ClusterFault {
  name: string;
  /** The time from the start of the load. */
  atSeconds: number;
  /** The time from its start until everything is normal again. */
  backWithinSeconds: number;
  /** Resolves when the fault is over. */
  make: (cluster: Cluster) => Promise<void>;
}

interface ClusterRunOptions extends Load {
  faults: readonly ClusterFault[];
  /** The default is that of the service. */
  requestsAtOnce?: number;
  variant: Variant;
}

interface Latency {
  changedMs: number;
  latencyMs: number;
}

/** Five seconds of changes, counted from the fault. */
interface Window {
  fromSecond: number;
  /** Null if nothing was committed. */
  p99Ms: number | null;
}

interface FaultResult {
  name: string;
  backWithinSeconds: number;
  /** Of the changes in the 20 s before the first fault. */
  p99BeforeMs: number;
  /** The time from the start of the fault until no five seconds have a p99 above twice that, or above 1 s if more. */
  backToNormalAfterSeconds: number;
  windows: readonly Window[];
}

interface ClusterRunResult extends Verdict, Answers {
  seed: number;
  variant: string;
  /** The log lines of deliveries whose event was not found. */
  missingEvents: string[];
  faultResults: FaultResult[];
  /** Deliveries that arrived more than once although no fault was near the first time. */
  unexplainedDuplicates: string[];
  settledAfterMs: number;
}

/** The first one gets a tenth of the events, those of contexts, in order. */
const webhookCount = 3;
const acceptedPerSecond = Number(process.env['HERALD_SOAK_RATE'] || 200);
// A retry is a separate activity, which costs the servers far more than a first attempt.
const refusedPerSecond = acceptedPerSecond / 20;
const settleMs = 180_000;
const normalTimes = 2;
/** On a busy machine, twice the value of a good moment is still good. */
const normalMsMin = 1_000;
const beforeMs = 20_000;
/** A request in flight at the start of a fault may have arrived a moment before. */
const inFlightMs = 1_000;
const recoveryMs = 15_000;

/** Declares the test that the faults lose nothing, and that soon after each everything is as before. */
export function testOnCluster(
  faultsInWords: string,
  options: Pick<ClusterRunOptions, 'faults' | 'seconds' | 'requestsAtOnce'>,
): void {
  test.each(soakSeeds(2).map((seed) => ({ seed, variant: variantOf(seed) })))(
    `${faultsInWords} nothing is lost, untrue, overtaken or 500, and all is soon normal (seed $seed: $variant.name)`,
    async ({ seed, variant }) => {
      const changesPerSecond = variant.refusesFirst ? refusedPerSecond : acceptedPerSecond;
      await runOnCluster({ seed, variant, changesPerSecond, ...options }, (result) => {
        expect(result).toMatchObject({ untrue: [], missingEvents: [], outOfOrder: [] });
        expect(result.unexplainedDuplicates).toEqual([]);
        expect(Object.keys(result.answers)).not.toContain('500');
        expect(Object.keys(result.answers)).not.toContain('broken');
        // Attempts of the worker wait for Temporal, and for the relay's next sweep.
        if (variant.sender === 'worker') return;
        for (const { name, backToNormalAfterSeconds, backWithinSeconds } of result.faultResults) {
          expect({ name, isLate: backToNormalAfterSeconds > backWithinSeconds }).toEqual({
            name,
            isLate: false,
          });
        }
      });
    },
    500_000,
  );
}

/** Runs the soak. A failed run keeps its data and logs. */
async function runOnCluster(
  options: ClusterRunOptions,
  check: (result: ClusterRunResult) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-soak-'));
  // PostgreSQL may run as a user other than root.
  await chmod(folder, 0o711);
  try {
    const result = await run(options, folder);
    say(JSON.stringify(result));
    check(result);
  } catch (error) {
    say(`seed ${options.seed} failed; its data and logs are in ${folder}`);
    throw error;
  }
  await rm(folder, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Times {
  startMs: number;
  faults: { fault: ClusterFault; startMs: number; endMs: number }[];
}

async function run(options: ClusterRunOptions, folder: string): Promise<ClusterRunResult> {
  await using open = new Disposal();
  const programs = await findClusterPrograms({ env: process.env, progress: say });
  const cluster = open.use(
    await startCluster({
      programs,
      folder: join(folder, 'cluster'),
      namespaces: ['default'],
      progress: say,
    }),
  );
  const env = {
    ...process.env,
    ...makeDevSecrets(),
    MONGODB_URI: cluster.mongodb.uri,
    TEMPORAL_ADDRESS: cluster.temporalAddress,
    HERALD_LOG_LEVEL: 'info',
    ...(options.requestsAtOnce === undefined
      ? {}
      : { HERALD_REQUESTS_AT_ONCE: String(options.requestsAtOnce) }),
    ...options.variant.env,
    PORT: '0',
  };
  const progress = (): void => undefined;
  const serviceDir = join(folder, 'herald');
  const launched = open.use(await launch({ env, dataDir: serviceDir, ephemeral: true, progress }));
  const statusOf = responsesOf(options.variant);
  const receiver = open.use(await startLightReceiver({ statusOf }));
  const client = open.use(createLightClient(launched.dev.apiUrl, launched.dev));
  const webhookUids = await registerWebhooks(client, receiver.url, {
    count: webhookCount,
    ordered: ['context'],
  });
  const acknowledged: string[] = [];
  const changes = keepAcknowledged(await prepareMix(client, options), acknowledged);
  const times: Times = { startMs: Date.now(), faults: [] };
  const faults = makeFaults(cluster, options.faults, times);
  const answers = await makeCalls(changes, options);
  await faults;
  const { mongodb, retryScheduleMs } = readConfig(env);
  const store = open.use(await connectStore(mongodb));
  const settledAfterMs = await settle(store, settleMs);
  const { receipts } = receiver;
  const faultEndsMs = times.faults.map(({ endMs }) => endMs);
  const attemptsMax = retryScheduleMs.length + 1;
  const evidence = { receipts, webhookUids, faultEndsMs, acknowledged, attemptsMax };
  const verdict = await judge(store, evidence);
  const latencies = await latenciesOf(store, receipts);
  return {
    seed: options.seed,
    variant: options.variant.name,
    ...verdict,
    missingEvents: await missingEvents(serviceDir),
    ...answers,
    faultResults: judgeFaults(latencies, times, options.seconds),
    unexplainedDuplicates: unexplained(
      receipts.filter(({ status }) => status < 300),
      times,
    ),
    settledAfterMs,
  };
}

async function makeFaults(
  cluster: Cluster,
  faults: readonly ClusterFault[],
  times: Times,
): Promise<void> {
  for (const fault of faults) {
    await sleep(Math.max(0, times.startMs + fault.atSeconds * 1_000 - Date.now()));
    const startMs = Date.now();
    await fault.make(cluster);
    times.faults.push({ fault, startMs, endMs: Date.now() });
  }
}

async function latenciesOf(store: Store, receipts: readonly Receipt[]): Promise<Latency[]> {
  const events = await store.events.find({}, { projection: factsOnly }).toArray();
  const changed = new Map(events.map(({ _id, createdAt }) => [_id, createdAt.getTime()]));
  return firstReceipts(receipts).flatMap(({ eventId, atMs }) => {
    const changedMs = changed.get(eventId);
    return changedMs === undefined ? [] : [{ changedMs, latencyMs: atMs - changedMs }];
  });
}

function firstReceipts(receipts: readonly Receipt[]): Receipt[] {
  const first = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const key = `${receipt.eventId}/${receipt.hook}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  return [...first.values()];
}

function judgeFaults(latencies: readonly Latency[], times: Times, seconds: number): FaultResult[] {
  const firstMs = times.faults[0]?.startMs ?? 0;
  const p99BeforeMs = p99Between(latencies, firstMs - beforeMs, firstMs - inFlightMs) ?? 0;
  return times.faults.map(({ fault: { name, backWithinSeconds }, startMs }, index) => {
    const endMs = times.faults[index + 1]?.startMs ?? times.startMs + seconds * 1_000;
    const windows = windowsBetween(latencies, startMs, endMs);
    const limitMs = Math.max(normalMsMin, normalTimes * p99BeforeMs);
    const backToNormalAfterSeconds = backToNormalAfter(windows, limitMs);
    return { name, backWithinSeconds, p99BeforeMs, backToNormalAfterSeconds, windows };
  });
}

/** Returns the repeated deliveries whose first request that got a 2xx was neither in flight when a fault began nor made during it. */
function unexplained(receipts: readonly Receipt[], { faults }: Times): string[] {
  const counts = new Map<string, number>();
  for (const { eventId, hook } of receipts) {
    const key = `${eventId}/${hook}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isNearFault = (atMs: number): boolean =>
    faults.some(({ startMs, endMs }) => atMs >= startMs - inFlightMs && atMs < endMs + recoveryMs);
  return firstReceipts(receipts)
    .filter(({ eventId, hook }) => (counts.get(`${eventId}/${hook}`) ?? 0) > 1)
    .filter(({ atMs }) => !isNearFault(atMs))
    .map(({ eventId, hook }) => `${eventId} at webhook ${hook}`);
}

const windowSeconds = 5;

/** Returns the 99th percentile (nearest rank) of the changes in a period, or null if there are none. */
function p99Between(latencies: readonly Latency[], fromMs: number, toMs: number): number | null {
  const values = latencies
    .filter(({ changedMs }) => changedMs >= fromMs && changedMs < toMs)
    .map(({ latencyMs }) => latencyMs)
    .toSorted((a, b) => a - b);
  return values[Math.ceil(values.length * 0.99) - 1] ?? null;
}

/** Returns the whole windows of a period. */
function windowsBetween(latencies: readonly Latency[], fromMs: number, toMs: number): Window[] {
  const count = Math.floor((toMs - fromMs) / 1_000 / windowSeconds);
  return Array.from({ length: count }, (_, index) => {
    const fromSecond = index * windowSeconds;
    const startMs = fromMs + fromSecond * 1_000;
    return { fromSecond, p99Ms: p99Between(latencies, startMs, startMs + windowSeconds * 1_000) };
  });
}

/** Returns the seconds until every later window is within the limit. A window without commits is not. */
function backToNormalAfter(windows: readonly Window[], limitMs: number): number {
  const last = windows.findLast(({ p99Ms }) => p99Ms === null || p99Ms > limitMs);
  return last === undefined ? 0 : last.fromSecond + windowSeconds;
}
