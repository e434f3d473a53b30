import { createActivities } from '../activities/index.ts';
import { systemClock } from '../lib/platform/clock.ts';
import type { Config } from '../lib/config/config.ts';
import { createSecretBox } from '../lib/platform/secret-box.ts';
import { createDeliveryRecords } from '../lib/deliveries/delivery-records.ts';
import { Disposal } from '../lib/platform/disposal.ts';
import type { RunningRole } from '../lib/platform/run-process.ts';
import { createHttpSender } from '../lib/egress/http-sender.ts';
import { checkServers } from '../lib/readiness.ts';
import { connectStore } from '../lib/mongo/connect.ts';
import { createDispatcher } from '../lib/dispatch/dispatcher.ts';
import { createPartitionSignaller } from '../lib/temporal/signal-partition.ts';
import { loadWorkflowBundle } from './bundle-workflows.ts';
import { connectTemporal } from './connect-temporal.ts';
import { createActivityWorkers, createWorkflowWorker, runWorkers } from './create-worker.ts';
import { runRelay } from './relay.ts';

/** Connects, and starts the workers and the relay. Throws one clear sentence when a server is not usable. */
export async function createDeliveryWorker(config: Config): Promise<RunningRole> {
  const open = new Disposal();
  try {
    const store = open.use(await connectStore(config.mongodb));
    const temporal = open.use(await connectTemporal(config.temporal));
    await checkServers({ store, connection: temporal.connection, namespace: temporal.namespace });
    const sender = open.use(createHttpSender({ policy: config.egress, proxy: config.egressProxy }));
    const signalPartition = createPartitionSignaller(temporal.client);
    const activities = createActivities({
      store,
      records: createDeliveryRecords(store),
      sender,
      signalPartition,
      secretBox: createSecretBox(config.sealingKeys),
      clock: systemClock,
      random: Math.random,
      retryScheduleMs: config.retryScheduleMs,
      deactivateAfterMs: config.deactivateAfterMs,
      retention: config.retention,
    });
    const bundle = await loadWorkflowBundle(config.workflowBundlePath);
    const workers = open.use(
      runWorkers([
        await createWorkflowWorker(temporal, bundle),
        ...(await createActivityWorkers(temporal, activities)),
      ]),
    );
    // Before the workers stop: a send that waits for a permit would begin late, be cut off and be sent again.
    open.defer(async () => sender.endWaits());
    const { eventsPerWorkflowMax, workflowStartsPerSecond } = config;
    const dispatcher = createDispatcher({
      client: temporal.client,
      store,
      clock: systemClock,
      eager: true,
      eventsPerWorkflowMax,
      workflowStartsPerSecond,
    });
    const stopping = new AbortController();
    const relay = runRelay(
      { store, dispatcher, signalPartition, clock: systemClock, eventsPerWorkflowMax },
      stopping.signal,
    );
    open.defer(async () => {
      stopping.abort();
      await relay;
    });
    return { failed: workers.failed, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}
