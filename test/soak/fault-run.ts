// The service as `npm start` runs it, under load, with killed or frozen processes, and the fate of each change.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../lib/config/config.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { makeDevSecrets } from '../../dev/start/dev-secrets.ts';
import { launch } from '../../dev/start/launch.ts';
import { createApiClient } from '../support/api-client.ts';
import {
  type Answers,
  type Load,
  keepAcknowledged,
  makeCalls,
  prepareChanges,
  registerWebhooks,
} from './changes.ts';
import { startLightReceiver } from './light-ends.ts';
import { responsesOf, type Variant } from './variant.ts';
import { judge, type Verdict } from './judge-deliveries.ts';

/** A process to kill (SIGKILL) or to freeze (SIGSTOP) for a while, at a time after the start of the load. */
export interface Fault {
  atSeconds: number;
  role: keyof DevFile['pids'];
  /** Null for a kill. */
  freezeMs: number | null;
}

export interface FaultRunOptions extends Load {
  variant: Variant;
  /** The number of webhooks. The first one is ordered. */
  webhooks: number;
  faults: readonly Fault[];
  /** The maximum time from the end of the load until everything is settled. */
  settleMs: number;
}

/** The result of a run. */
export interface FaultRunResult extends Verdict, Answers {
  seed: number;
  variant: string;
  /** The log lines of deliveries whose event was not found. */
  missingEvents: string[];
  /** The time from the end of the load until everything was settled. */
  settledAfterMs: number;
}

/** Runs the service under load and faults, and checks every change. A failed run keeps its data and logs. */
export async function runWithFaults(
  options: FaultRunOptions,
  check: (result: FaultRunResult) => void,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-soak-'));
  const progress = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const result = await run(options, dataDir);
    progress(JSON.stringify(result));
    check(result);
  } catch (error) {
    progress(`seed ${options.seed} failed; its data and logs are in ${dataDir}`);
    throw error;
  }
  await rm(dataDir, { recursive: true, force: true });
}

async function run(options: FaultRunOptions, dataDir: string): Promise<FaultRunResult> {
  const open = new Disposal();
  try {
    const env = {
      ...process.env,
      ...makeDevSecrets(),
      MONGODB_URI: '',
      TEMPORAL_ADDRESS: '',
      HERALD_LOG_LEVEL: 'info',
      ...options.variant.env,
      PORT: '0',
    };
    const progress = (): void => undefined;
    const launched = open.use(await launch({ env, dataDir, ephemeral: false, progress }));
    const { dev } = launched;
    const statusOf = responsesOf(options.variant);
    const receiver = open.use(await startLightReceiver({ statusOf }));
    const client = createApiClient(dev.apiUrl, dev);
    const webhookUids = await registerWebhooks(client, receiver.url, { count: options.webhooks });
    const acknowledged: string[] = [];
    const changes = keepAcknowledged(await prepareChanges(client, options), acknowledged);
    const faults = makeFaults(dev, options.faults);
    const answers = await makeCalls(changes, options);
    const faultEndsMs = await faults;
    const { mongodbUri: MONGODB_URI, temporalAddress: TEMPORAL_ADDRESS } = dev;
    const config = readConfig({ ...env, MONGODB_URI, TEMPORAL_ADDRESS });
    const store = open.use(await connectStore(config.mongodb));
    const settledAfterMs = await settle(store, options.settleMs);
    const attemptsMax = config.retryScheduleMs.length + 1;
    const { receipts } = receiver;
    const evidence = { receipts, webhookUids, faultEndsMs, acknowledged, attemptsMax };
    return {
      seed: options.seed,
      variant: options.variant.name,
      ...(await judge(store, evidence)),
      missingEvents: await missingEvents(dataDir),
      ...answers,
      settledAfterMs,
    };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

/** Makes the faults at their times. Resolves to the end of each. */
async function makeFaults(dev: DevFile, faults: readonly Fault[]): Promise<number[]> {
  const startedAt = performance.now();
  const endsMs: number[] = [];
  for (const { atSeconds, role, freezeMs } of faults) {
    await sleep(Math.max(0, startedAt + atSeconds * 1_000 - performance.now()));
    const pid = dev.pids[role];
    if (pid === null || pid === 0) throw new Error(`${role} is not a process of this run`);
    if (freezeMs === null) {
      signal(pid, 'SIGKILL');
    } else {
      signal(pid, 'SIGSTOP');
      await sleep(freezeMs);
      signal(pid, 'SIGCONT');
    }
    endsMs.push(Date.now());
  }
  return endsMs;
}

/** Skips a process that is still restarting after the previous fault. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the log lines in `dataDir` about deliveries whose event was not found. */
export async function missingEvents(dataDir: string): Promise<string[]> {
  const read = (role: string): Promise<string> =>
    readFile(join(dataDir, 'logs', `${role}.log`), 'utf8');
  const logs = await Promise.all(['api', 'worker'].map(read));
  return logs.flatMap((log) =>
    log.split('\n').filter((line) => line.includes('delivery.event_missing')),
  );
}

/** Waits until every expected delivery is recorded as delivered, or the time is up. Returns the time it took. */
export async function settle(store: Store, settleMs: number): Promise<number> {
  const startedAt = performance.now();
  const passedMs = (): number => Math.round(performance.now() - startedAt);
  while (passedMs() < settleMs) {
    const [expected, delivered] = await Promise.all([
      countExpected(store),
      store.deliveries.countDocuments({ state: 'delivered' }),
    ]);
    if (delivered >= expected) break;
    await sleep(500);
  }
  return passedMs();
}

async function countExpected(store: Store): Promise<number> {
  const sum = { $group: { _id: null, count: { $sum: { $size: '$webhookUids' } } } };
  const [counted] = await store.events.aggregate<{ count: number }>([sum]).toArray();
  return counted?.count ?? 0;
}
