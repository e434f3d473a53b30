// The relay guarantees delivery: it starts or signals workflows that no other process has.
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachLimit } from '../lib/concurrency/for-each-limit.ts';
import type { Clock } from '../lib/platform/clock.ts';
import { dispatchLimits } from '../lib/limits.ts';
import type { SignalPartition } from '../lib/temporal/signal-partition.ts';
import { instruments } from '../lib/telemetry/instruments.ts';
import { relayLog } from '../lib/platform/logger.ts';
import type { EventToDispatch } from '../lib/model/event.ts';
import { keyOfPartition } from '../lib/model/partition.ts';
import type { Store } from '../lib/mongo/connect.ts';
import { findClaimed, findUnclaimed } from '../lib/events/events.ts';
import { beginWaitingJobs } from '../lib/jobs/job-turns.ts';
import { findUnstartedJobs } from '../lib/jobs/jobs.ts';
import { resumeParked } from '../lib/order/parked.ts';
import { scheduleSignal, takeOverdue } from '../lib/order/partitions.ts';
import type { WorkflowStarts } from '../lib/dispatch/workflow-starts.ts';
import { WaitingEvents } from '../lib/dispatch/starter.ts';

const { relayEveryMs, relayBackoffMsMax, relayedPerSweepMax } = dispatchLimits;
// The api may still be starting the workflow of an event this new.
const graceMs = 2_000;
const concurrentStartsMax = 10;
// Well above the faults of single workflows, which must not delay those behind them.
const failuresMax = 50;

export interface RelayPorts {
  store: Store;
  starts: Pick<WorkflowStarts, 'startEvents' | 'startJob'>;
  signalPartition: SignalPartition;
  clock: Clock;
  eventsPerWorkflowMax: number;
}

/** Sweeps until `signal` aborts, and backs off while MongoDB or Temporal is unavailable. Never rejects. */
export async function runRelay(ports: RelayPorts, signal: AbortSignal): Promise<void> {
  let waitMs: number = relayEveryMs;
  while (!signal.aborted) {
    try {
      const started = await sweep(ports, signal);
      instruments.relaySweeps.add(1, { result: 'ok' });
      waitMs = started >= relayedPerSweepMax ? 0 : relayEveryMs;
    } catch (error) {
      instruments.relaySweeps.add(1, { result: 'failed' });
      waitMs = Math.min(relayBackoffMsMax, Math.max(relayEveryMs, 2 * waitMs));
      relayLog.warn({ err: error, waitMs }, 'relay.backing_off');
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Starts the workflows of waiting events, jobs and partitions, and returns their number. Throws if all failed. */
export async function sweep(ports: RelayPorts, signal: AbortSignal): Promise<number> {
  const before = new Date(ports.clock.now().getTime() - graceMs);
  const sweeps = [
    await startEach(await eventStarts(ports, before), signal),
    await startEach(await jobStarts(ports, before), signal),
    await signalPartitions(ports, signal),
  ];
  const started = sweeps.reduce((sum, swept) => sum + swept.started, 0);
  const failures = sweeps.flatMap((swept) => swept.failures);
  if (started === 0 && failures.length > 0) throw failures[0];
  if (started > 0) relayLog.info({ started, failed: failures.length }, 'relay.swept');
  return started;
}

// Starts claimed workflows first, then shared ones for unclaimed events.
async function eventStarts(ports: RelayPorts, before: Date): Promise<Start[]> {
  const batches = [
    ...groupByWorkflow(await findClaimed(ports.store, before, relayedPerSweepMax)),
    ...groupTogether(await findUnclaimed(ports.store, before, relayedPerSweepMax), ports),
  ];
  return batches.map((batch) => ({
    start: async () => (await ports.starts.startEvents(batch, 'relay')).marked,
    kind: 'event',
    facts: { appUid: batch[0]?.appUid, eventId: batch[0]?._id, count: batch.length },
  }));
}

async function jobStarts(ports: RelayPorts, before: Date): Promise<Start[]> {
  await beginWaitingJobs(ports.store);
  const unstarted = await findUnstartedJobs(ports.store, before, relayedPerSweepMax);
  return unstarted.map((job) => ({
    start: () => ports.starts.startJob(job),
    kind: 'job',
    facts: { appUid: job.appUid, jobUid: job._id, count: 1 },
  }));
}

// Signals can be lost, so each sweep repeats those that are overdue.
async function signalPartitions(ports: RelayPorts, signal: AbortSignal): Promise<Swept> {
  const { store, clock } = ports;
  await resumeParked(store, clock.now());
  const overdue = await takeOverdue(store, clock.now(), relayedPerSweepMax);
  const unsignalled = new Set(overdue.map(({ _id }) => _id));
  const starts = overdue.map((partition): Start => ({
    start: async () => {
      await ports.signalPartition(keyOfPartition(partition));
      unsignalled.delete(partition._id);
    },
    kind: 'partition',
    facts: { appUid: partition.appUid, partition: partition._id, count: 1 },
  }));
  const swept = await startEach(starts, signal);
  // Otherwise they would wait a minute.
  if (unsignalled.size > 0) await scheduleSignal(store, [...unsignalled], { now: clock.now() });
  return swept;
}

/** `facts` are logged if the start fails; `count` is the number of events or jobs it starts. */
interface Start {
  start: () => Promise<void>;
  kind: 'event' | 'job' | 'partition';
  facts: { appUid: string | undefined; count: number; [fact: string]: unknown };
}

interface Swept {
  started: number;
  failures: unknown[];
}

async function startEach(starts: readonly Start[], signal: AbortSignal): Promise<Swept> {
  const failures: unknown[] = [];
  let started = 0;
  await forEachLimit(starts, concurrentStartsMax, async ({ start, kind, facts }) => {
    // This many failures without a success mean that Temporal is unavailable.
    if (signal.aborted || (started === 0 && failures.length >= failuresMax)) return;
    try {
      await start();
      started += facts.count;
      instruments.relayStarted.add(facts.count, { kind });
    } catch (error) {
      failures.push(error);
      instruments.dispatchFailures.add(1, { by: 'relay' });
      relayLog.warn({ ...facts, err: error }, 'relay.start_failed');
    }
  });
  return { started, failures };
}

function groupByWorkflow(events: readonly EventToDispatch[]): EventToDispatch[][] {
  const groups = new Map<string | null, EventToDispatch[]>();
  for (const event of events) {
    groups.set(event.workflowId, [...(groups.get(event.workflowId) ?? []), event]);
  }
  return [...groups.values()];
}

function groupTogether(events: readonly EventToDispatch[], ports: RelayPorts): EventToDispatch[][] {
  const waiting = new WaitingEvents();
  for (const event of events) waiting.add(event);
  const groups: EventToDispatch[][] = [];
  while (waiting.count > 0) groups.push(waiting.take(ports.eventsPerWorkflowMax));
  return groups;
}
