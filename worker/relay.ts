// The guarantee behind the direct start: a sweep that starts whatever no workflow carries yet.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lib/platform/clock.ts';
import type { SignalPartition } from '../lib/temporal/signal-partition.ts';
import { relayLog } from '../lib/platform/logger.ts';
import type { EventToDispatch } from '../lib/model/event.ts';
import { keyOfPartition } from '../lib/model/partition.ts';
import type { Store } from '../lib/mongo/connect.ts';
import { findClaimed, findUnclaimed } from '../lib/events/events.ts';
import { findUnstartedJobs } from '../lib/deliveries/jobs.ts';
import { takeOverdue } from '../lib/deliveries/partitions.ts';
import type { Dispatcher } from '../lib/dispatch/dispatcher.ts';
import { WaitingEvents } from '../lib/dispatch/waiting-events.ts';

// An event this young may still be on its way through the api's direct start.
const graceMs = 2_000;
const sweepEveryMs = 1_000;
const backoffMaxMs = 30_000;
const eventsPerSweepMax = 500;
const startsAtOnceMax = 10;
// Well above what can be wrong with single workflows: these do not hold up those behind them.
const failuresMax = 50;

export interface RelayPorts {
  store: Store;
  dispatcher: Dispatcher;
  signalPartition: SignalPartition;
  clock: Clock;
  /** How many events of one application may share a workflow. */
  eventsPerWorkflowMax: number;
}

/** Sweeps until `signal` aborts, backing off while MongoDB or Temporal is away. Never rejects. */
export async function runRelay(ports: RelayPorts, signal: AbortSignal): Promise<void> {
  let waitMs = sweepEveryMs;
  while (!signal.aborted) {
    try {
      const started = await sweep(ports, signal);
      // A full sweep means that more wait: go on at once.
      waitMs = started >= eventsPerSweepMax ? 0 : sweepEveryMs;
    } catch (error) {
      waitMs = Math.min(backoffMaxMs, Math.max(sweepEveryMs, 2 * waitMs));
      relayLog.warn({ err: error, waitMs }, 'relay.backing_off');
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Starts what waits: events, jobs and partitions. Returns how many of them it started. A workflow that cannot be started does not hold up those behind it; throws when none could be.
 */
export async function sweep(ports: RelayPorts, signal: AbortSignal): Promise<number> {
  const before = new Date(ports.clock.now().getTime() - graceMs);
  const sweeps = [
    await sweepEvents(ports, before, signal),
    await sweepJobs(ports, before, signal),
    await sweepPartitions(ports, signal),
  ];
  const started = sweeps.reduce((sum, swept) => sum + swept.started, 0);
  const failures = sweeps.flatMap((swept) => swept.failures);
  if (started === 0 && failures.length > 0) throw failures[0];
  if (started > 0) relayLog.info({ started, failed: failures.length }, 'relay.swept');
  return started;
}

/**
 * Starts the workflows of events: first those that were chosen and not started, then new ones for the
 * events that have none, together where they are many.
 */
async function sweepEvents(ports: RelayPorts, before: Date, signal: AbortSignal): Promise<Swept> {
  const batches = [
    ...groupByWorkflow(await findClaimed(ports.store, before, eventsPerSweepMax)),
    ...groupByApp(await findUnclaimed(ports.store, before, eventsPerSweepMax), ports),
  ];
  const starts = batches.map((batch) => ({
    start: () => ports.dispatcher.start(batch),
    facts: { appUid: batch[0]?.appUid, eventId: batch[0]?._id, count: batch.length },
  }));
  return startEach(starts, signal);
}

/** Starts the jobs whose direct start did not come about. */
async function sweepJobs(ports: RelayPorts, before: Date, signal: AbortSignal): Promise<Swept> {
  const unstarted = await findUnstartedJobs(ports.store, before, eventsPerSweepMax);
  const starts = unstarted.map((job) => ({
    start: () => ports.dispatcher.startJob(job),
    facts: { appUid: job.appUid, jobUid: job._id, count: 1 },
  }));
  return startEach(starts, signal);
}

/** Signals the partitions that somebody should have moved by now: a signal may be lost, a sweep cannot. */
async function sweepPartitions(ports: RelayPorts, signal: AbortSignal): Promise<Swept> {
  const overdue = await takeOverdue(ports.store, ports.clock.now(), eventsPerSweepMax);
  const starts = overdue.map((partition) => ({
    start: () => ports.signalPartition(keyOfPartition(partition)),
    facts: { appUid: partition.appUid, partition: partition._id, count: 1 },
  }));
  return startEach(starts, signal);
}

/** A start that is to be made, and what to log of it if it fails; `count` is how many it starts. */
interface Start {
  start: () => Promise<void>;
  facts: { appUid: string | undefined; count: number };
}

interface Swept {
  started: number;
  failures: unknown[];
}

async function startEach(starts: readonly Start[], signal: AbortSignal): Promise<Swept> {
  const failures: unknown[] = [];
  let started = 0;
  let next = 0;
  async function startSome(): Promise<void> {
    // So many failures and no success mean that Temporal is away; the rest would only wait for it too.
    while (
      next < starts.length &&
      !signal.aborted &&
      (started > 0 || failures.length < failuresMax)
    ) {
      const { start, facts } = starts[next] as Start;
      next += 1;
      try {
        await start();
        started += facts.count;
      } catch (error) {
        failures.push(error);
        relayLog.warn({ ...facts, err: error }, 'relay.start_failed');
      }
    }
  }
  await Promise.all(Array.from({ length: startsAtOnceMax }, startSome));
  return { started, failures };
}

/** Puts the events of a workflow together. */
function groupByWorkflow(events: readonly EventToDispatch[]): EventToDispatch[][] {
  const groups = new Map<string | null, EventToDispatch[]>();
  for (const event of events) {
    const group = groups.get(event.workflowId);
    if (group === undefined) groups.set(event.workflowId, [event]);
    else group.push(event);
  }
  return [...groups.values()];
}

function groupByApp(events: readonly EventToDispatch[], ports: RelayPorts): EventToDispatch[][] {
  const waiting = new WaitingEvents();
  for (const event of events) waiting.add(event);
  const groups: EventToDispatch[][] = [];
  while (waiting.count > 0) groups.push(waiting.take(ports.eventsPerWorkflowMax));
  return groups;
}
