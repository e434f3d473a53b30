// The least a durable delivery could be: a workflow with one activity that does nothing.
import { proxyActivities } from '@temporalio/workflow';

/** Gives when it ran, in milliseconds of the bench's clock. */
export type NoOp = () => Promise<number>;

const { noOp } = proxyActivities<{ noOp: NoOp }>({
  taskQueue: 'bench-floor-activities',
  startToCloseTimeout: '10 seconds',
});

/** Runs the activity and gives what it gave. */
export async function floorWorkflow(): Promise<number> {
  return noOp();
}
