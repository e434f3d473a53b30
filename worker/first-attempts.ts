import { createActivities } from '../activities/index.ts';
import { HeadStart } from '../lib/deliveries/head-start.ts';
import type { Disposal } from '../lib/platform/disposal.ts';
import { loadWorkflowBundle } from './bundle-workflows.ts';
import type { Temporal } from './connect-temporal.ts';
import { createWorkflowWorker, runWorkers } from './create-worker.ts';
import { type DeliveryPlace, openDeliveryPorts } from './delivery-ports.ts';

interface FirstAttemptWorker {
  /** Null where the settings leave first attempts to their workflows. */
  headStart: HeadStart | null;
  /** Begins no more, and leaves what waits for a permit to the retries; attempts under way go on. */
  stop: () => void;
  failed: Promise<unknown>;
}

/** Starts what makes first attempts in an api process: a workflow worker, and the head start. */
export async function openFirstAttempts(
  open: Disposal,
  place: DeliveryPlace & { temporal: Temporal },
): Promise<FirstAttemptWorker> {
  const { config, temporal } = place;
  const ports = openDeliveryPorts(open, place);
  const headStart = config.headStart ? new HeadStart(ports) : null;
  const activities = createActivities(ports, headStart);
  const bundle = await loadWorkflowBundle(config.workflowBundlePath);
  const worker = await createWorkflowWorker(temporal, { bundle, activities });
  const { failed } = open.use(runWorkers([worker]));
  open.defer(async () => headStart?.end());
  const stop = (): void => {
    ports.sender.endWaits();
    void headStart?.end();
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return { headStart, stop, failed };
}
