import { createActivities } from '../activities/index.ts';
import type { Config } from '../lib/config/config.ts';
import { Disposal } from '../lib/platform/disposal.ts';
import type { RunningRole } from '../lib/platform/run-process.ts';
import { checkServers } from '../lib/health/readiness.ts';
import { checkSecrets } from '../lib/mongo/secret-checks.ts';
import { connectStore } from '../lib/mongo/connect.ts';
import { startServerClock } from '../lib/mongo/server-clock.ts';
import { WorkflowStarts } from '../lib/dispatch/workflow-starts.ts';
import { loadWorkflowBundle } from './bundle-workflows.ts';
import { connectTemporal } from './connect-temporal.ts';
import { createActivityWorkers, createWorkflowWorker, runWorkers } from './create-worker.ts';
import { openDeliveryPorts } from './delivery-ports.ts';
import { watchServers } from '../lib/health/watch-servers.ts';
import { watchBacklog } from './watch-backlog.ts';
import { hasMetrics } from '../lib/telemetry/start-telemetry.ts';
import { runRelay } from './relay.ts';
import { runStatistics } from './statistics.ts';

/** Connects, and starts the workers, the relay and the statistics. Throws one clear sentence if a server fails. */
export async function createDeliveryWorker(config: Config): Promise<RunningRole> {
  const open = new Disposal();
  const measures = hasMetrics(config.telemetry);
  try {
    const store = open.use(await connectStore(config.mongodb));
    const temporal = open.use(
      await connectTemporal(config.temporal, { measures, publicUrl: config.http.publicUrl }),
    );
    const { connection, namespace } = temporal;
    const servers = { store, connection, namespace };
    await checkServers(servers);
    await checkSecrets(store, config);
    const clock = open.use(await startServerClock(store));
    const ports = openDeliveryPorts(open, { config, store, temporal, clock });
    const { sender, signalPartition } = ports;
    const activities = createActivities(ports);
    const bundle = await loadWorkflowBundle(config.workflowBundlePath);
    const workers = open.use(
      runWorkers([
        await createWorkflowWorker(temporal, { bundle, activities }),
        ...(await createActivityWorkers(temporal, activities)),
      ]),
    );
    const { client } = temporal;
    const { eventsPerWorkflowMax } = config;
    const starts = new WorkflowStarts({ client, store, clock, eager: true });
    const stopping = new AbortController();
    const relay = runRelay(
      { store, starts, signalPartition, clock, eventsPerWorkflowMax },
      stopping.signal,
    );
    const { signal } = stopping;
    const statistics = runStatistics({ store, clock }, signal);
    const watches = measures
      ? [watchServers(servers, { signal }), watchBacklog({ ...servers, clock }, { signal })]
      : [];
    open.defer(async () => {
      stopping.abort();
      // Before the workers stop: a send still waiting for a permit would start late, be cut off and be repeated.
      sender.endWaits();
      await Promise.all([workers[Symbol.asyncDispose](), relay, statistics, ...watches]);
    });
    return { failed: workers.failed, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}
