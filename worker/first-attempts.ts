import { createActivities } from '../activities/index.ts';
import { EarlyAttempts } from '../lib/deliveries/early-attempts.ts';
import type { Sender } from '../lib/egress/sender.ts';
import type { Disposal } from '../lib/platform/disposal.ts';
import { loadWorkflowBundle } from './bundle-workflows.ts';
import type { Temporal } from './connect-temporal.ts';
import { createWorkflowWorker, runWorkers } from './create-worker.ts';
import { type DeliveryDependencies, openDeliveryPorts } from './delivery-ports.ts';

interface FirstAttemptWorker {
  sender: Sender;
  /** Null if the settings leave first attempts to their workflows. */
  earlyAttempts: EarlyAttempts | null;
  /** Starts no more attempts, and leaves those waiting for a permit to the retries; attempts in flight continue. */
  stop: () => void;
  failed: Promise<unknown>;
}

/** Starts the first attempts of an api process: a workflow worker, and early attempts. */
export async function openFirstAttempts(
  open: Disposal,
  dependencies: DeliveryDependencies & { temporal: Temporal },
): Promise<FirstAttemptWorker> {
  const { config, temporal } = dependencies;
  const ports = openDeliveryPorts(open, dependencies);
  const earlyAttempts = config.earlyAttempts ? new EarlyAttempts(ports) : null;
  const activities = createActivities(ports, earlyAttempts);
  const bundle = await loadWorkflowBundle(config.workflowBundlePath);
  const worker = await createWorkflowWorker(temporal, { bundle, activities });
  const { failed } = open.use(runWorkers([worker]));
  open.defer(async () => earlyAttempts?.end());
  const stop = (): void => {
    ports.sender.endWaits();
    void earlyAttempts?.end();
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { sender: ports.sender, earlyAttempts, stop, failed };
}
