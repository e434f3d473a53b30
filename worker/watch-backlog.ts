// The open work of the whole installation, for the metrics of each worker.
import type { ConnectionLike } from '@temporalio/client';
import {
  type InstallationBacklog,
  readInstallationBacklog,
  type Waiting,
} from '../lib/history/installation-backlog.ts';
import type { Store } from '../lib/mongo/connect.ts';
import type { Clock } from '../lib/platform/clock.ts';
import { statisticsLog } from '../lib/platform/logger.ts';
import { instruments } from '../lib/telemetry/instruments.ts';
import { watch, watchEveryMs } from '../lib/telemetry/watch.ts';
import { readTaskQueues, type TaskQueue } from '../lib/temporal/task-queues.ts';

// Older values are reported as NaN, because the SDK would keep showing the last reported value.
const freshMs = 4 * watchEveryMs;
const readTimeoutMs = 5_000;

interface Ports {
  store: Store;
  connection: ConnectionLike;
  namespace: string;
  clock: Clock;
}

/** Reads until `signal` aborts. Never rejects. */
export async function watchBacklog(
  { store, connection, namespace, clock }: Ports,
  options: { signal: AbortSignal; everyMs?: number },
): Promise<void> {
  const backlog = new Latest<InstallationBacklog>(clock, options.signal);
  const queues = new Latest<TaskQueue[]>(clock, options.signal);
  const stops = [...observeBacklog(backlog, clock), ...observeQueues(queues)];
  const read = async (): Promise<void> => {
    await Promise.all([
      backlog.read(() => readInstallationBacklog(store, clock.now())),
      queues.read(() =>
        connection.withDeadline(Date.now() + readTimeoutMs, () =>
          readTaskQueues(connection, namespace),
        ),
      ),
    ]);
  };
  await watch(read, options);
  for (const stop of stops) stop();
}

class Latest<T> {
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  value: T | null = null;
  #readAtMs = 0;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** Returns `figure` while the value is fresh, then NaN. */
  whileFresh(figure: number): number {
    return this.#nowMs() - this.#readAtMs <= freshMs ? figure : Number.NaN;
  }

  async read(read: () => Promise<T>): Promise<void> {
    try {
      this.value = await read();
      this.#readAtMs = this.#nowMs();
    } catch (error) {
      // A stop closes the connection during a read.
      if (!this.#stopping.aborted) statisticsLog.warn({ err: error }, 'metrics.not_read');
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

function observeBacklog(latest: Latest<InstallationBacklog>, clock: Clock): (() => void)[] {
  const countOf = ({ count }: Waiting): number => latest.whileFresh(count);
  const ageOf = ({ oldestAt }: Waiting): number => {
    const ageMs = oldestAt === null ? 0 : clock.now().getTime() - oldestAt.getTime();
    return latest.whileFresh(Math.max(0, ageMs) / 1_000);
  };
  const entries = (key: 'deliveries' | 'jobs'): [string, Waiting][] =>
    Object.entries(latest.value?.[key] ?? {});
  return [
    instruments.backlogDeliveries.observe((report) => {
      for (const [state, waiting] of entries('deliveries')) report(countOf(waiting), { state });
    }),
    instruments.backlogOldestAge.observe((report) => {
      for (const [state, waiting] of entries('deliveries')) report(ageOf(waiting), { state });
    }),
    instruments.jobsRunning.observe((report) => {
      for (const [kind, waiting] of entries('jobs')) report(countOf(waiting), { kind });
    }),
    instruments.jobsOldestAge.observe((report) => {
      for (const [kind, waiting] of entries('jobs')) report(ageOf(waiting), { kind });
    }),
    instruments.overdueDeliveries.observe((report) => {
      if (latest.value !== null) report(latest.whileFresh(latest.value.overdue), {});
    }),
    instruments.undispatchedEvents.observe((report) => {
      if (latest.value !== null) report(countOf(latest.value.undispatched), {});
    }),
    instruments.undispatchedOldestAge.observe((report) => {
      if (latest.value !== null) report(ageOf(latest.value.undispatched), {});
    }),
    instruments.credentialsExpiring.observe((report) => {
      if (latest.value === null) return;
      const { apiKeys, clientCertificates } = latest.value.expiring;
      report(latest.whileFresh(apiKeys), { kind: 'api_key' });
      report(latest.whileFresh(clientCertificates), { kind: 'client_certificate' });
    }),
  ];
}

function observeQueues(latest: Latest<TaskQueue[]>): (() => void)[] {
  return [
    instruments.taskQueueSize.observe((report) => {
      for (const { queue, size } of latest.value ?? []) report(latest.whileFresh(size), { queue });
    }),
    instruments.taskQueueAge.observe((report) => {
      for (const { queue, ageSeconds } of latest.value ?? []) {
        report(latest.whileFresh(ageSeconds), { queue });
      }
    }),
  ];
}
