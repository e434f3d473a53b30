// The minimum of a durable delivery: a workflow with one activity that does nothing.
import { proxyActivities } from '@temporalio/workflow';

const { noOp } = proxyActivities<{ noOp: () => Promise<number> }>({
  taskQueue: 'bench-floor-activities',
  startToCloseTimeout: '10 seconds',
});

/** Returns when the activity ran, in milliseconds of the bench's clock. */
export async function floorWorkflow(): Promise<number> {
  return noOp();
}
