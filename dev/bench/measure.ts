import { setTimeout as delay } from 'node:timers/promises';
import { type BenchApp, type Hooks, makeApp } from './app.ts';
import { type Call, type Caller, openCaller } from './calls.ts';
import { nowMs } from './clock.ts';
import { describeValues, round } from './distribution.ts';
import { Ledger } from './ledger.ts';
import { type Load, runLoad } from './load.ts';
import { cpuMsEach, memoryOf, readUsage } from './process-usage.ts';
import type { Bench, Service } from './service.ts';

export interface Plan {
  name: string;
  hooks: Hooks;
  /** The number of applications, which have the calls in turn; by default one. */
  apps?: number;
  load: Load;
  /** The default is a change. */
  call?: (caller: Caller, app: BenchApp) => Call;
  /** Runs before the load and the measurement begin. */
  prepare?: (app: BenchApp, caller: Caller) => Promise<void>;
  /** Runs during the calls. The run waits for it. */
  during?: (ledger: Ledger) => Promise<void>;
  /** Runs after the last call, before the wait for arrivals. */
  afterLoad?: (ledger: Ledger) => Promise<void>;
}

/** The results. Values that do not exist, such as receipts if nothing is sent, are null. */
export type Measurement = Awaited<ReturnType<typeof measure>> & {
  /** Absent if it was not sampled. */
  backlogGrowth?: number;
};

// After this time without an arrival, or in total, missing deliveries count as lost. A relay waits up to 30 s after an
// outage, and a workflow task of a dead process up to 5 s.
const quietMsMax = 90_000;
const drainMsMax = 15 * 60_000;
const pollEveryMs = 100;
// After the last receipt, attempts are still recorded and workflows end. Their cost counts.
const settleMs = 1_000;

/** Runs a plan with new applications, and returns the results. */
export async function measure(bench: Bench, plan: Plan) {
  const { service, receiver, signal } = bench;
  const apps = await makeApps(bench, plan);
  const [app] = apps;
  await using caller = openCaller(service.apiUrl);
  try {
    await plan.prepare?.(app, caller);
    const ledger = new Ledger((n) => appOf(apps, n).hookUidsOf(n));
    receiver.watch((arrivals) => ledger.receive(arrivals));
    const calls = apps.map(
      (each) => plan.call?.(caller, each) ?? caller.changing(each, bench.settings.path),
    );
    const makeCall: Call = async (n) => (calls[n % calls.length] as Call)(n);
    const before = readUsage(bench.groups());
    const [dropped] = await Promise.all([
      runLoad(plan.load, targetOf(ledger, makeCall, signal)),
      plan.during?.(ledger),
    ]);
    await plan.afterLoad?.(ledger);
    await drain(ledger, signal);
    await delay(settleMs + (plan.hooks.slowMs ?? 0), undefined, { signal });
    const after = readUsage(bench.groups());
    const workflows = await countWorkflows(service, apps);
    return {
      ...latenciesOf(ledger, apps),
      ...outcomeOf(ledger, apps),
      name: plan.name,
      load: plan.load,
      hooks: plan.hooks,
      dropped,
      cpuMsPerEvent: cpuMsEach(before, after, ledger.acknowledged),
      memory: memoryOf(after),
      workflows,
    };
  } finally {
    receiver.watch(() => undefined);
  }
}

async function makeApps(bench: Bench, plan: Plan): Promise<[BenchApp, ...BenchApp[]]> {
  const first = await makeApp(bench, plan);
  const others: BenchApp[] = [];
  while (others.length + 1 < (plan.apps ?? 1)) others.push(await makeApp(bench, plan));
  return [first, ...others];
}

const appOf = (apps: readonly BenchApp[], n: number): BenchApp => apps[n % apps.length] as BenchApp;

/** Returns the number of workflows that have events of these applications. */
async function countWorkflows({ temporal }: Service, apps: readonly BenchApp[]): Promise<number> {
  const query = apps.map(({ appUid }) => `AppUids = "${appUid}"`).join(' OR ');
  return (await temporal.workflow.count(query)).count;
}

function targetOf(ledger: Ledger, makeCall: Call, signal: AbortSignal) {
  return {
    signal,
    async call(intendedAtMs: number): Promise<number> {
      const n = ledger.open(intendedAtMs);
      const failure = await makeCall(n);
      ledger.close(n, { atMs: nowMs(), failure });
      return n;
    },
    async settled(n: number): Promise<void> {
      const endMs = nowMs() + quietMsMax;
      while (!ledger.isSettled(n) && nowMs() < endMs) {
        const tick = delay(pollEveryMs, undefined, { signal });
        await Promise.race([ledger.arrival(), tick]);
      }
    },
  };
}

async function drain(ledger: Ledger, signal: AbortSignal): Promise<void> {
  const startMs = nowMs();
  let [lastMs, lastDeliveries] = [startMs, ledger.deliveries];
  while (ledger.missing > 0) {
    await delay(pollEveryMs, undefined, { signal });
    if (ledger.deliveries > lastDeliveries) [lastMs, lastDeliveries] = [nowMs(), ledger.deliveries];
    if (nowMs() - lastMs > quietMsMax || nowMs() - startMs > drainMsMax) return;
  }
}

function latenciesOf(ledger: Ledger, apps: readonly BenchApp[]) {
  const slow = new Set(apps.flatMap(({ slowHookUids }) => slowHookUids));
  return {
    answerMs: describeValues(ledger.answerMs()),
    receiptMs: describeValues(ledger.receiptMs((hookUid) => !slow.has(hookUid))),
    slowReceiptMs: describeValues(ledger.receiptMs((hookUid) => slow.has(hookUid))),
  };
}

function outcomeOf(ledger: Ledger, [{ hookUids }]: [BenchApp, ...BenchApp[]]) {
  const spanSeconds = ledger.spanMs / 1_000;
  const events = hookUids.length > 0 ? ledger.complete : ledger.acknowledged;
  return {
    acknowledged: ledger.acknowledged,
    failures: ledger.failures,
    spanSeconds: round(spanSeconds),
    eventsPerSecond: round(events / spanSeconds),
    deliveriesPerSecond: round(ledger.deliveries / spanSeconds),
    lost: ledger.missing,
    duplicates: ledger.duplicates,
    refused: ledger.refused,
  };
}
