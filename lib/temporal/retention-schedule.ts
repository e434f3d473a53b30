import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import {
  eventsTaskQueue,
  jobWorkflowId,
  retentionJobUid,
  retentionScheduleId,
  runJobWorkflow,
} from './names.ts';

/** Creates the schedule of the hourly retention if it is missing; two processes may do so concurrently. */
export async function ensureRetentionSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: retentionScheduleId,
      spec: { intervals: [{ every: '1 hour' }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
      action: {
        type: 'startWorkflow',
        workflowType: runJobWorkflow,
        workflowId: jobWorkflowId(retentionJobUid),
        taskQueue: eventsTaskQueue,
        args: [{ jobUid: retentionJobUid }],
        staticSummary: 'deletes what is older than the retention',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
