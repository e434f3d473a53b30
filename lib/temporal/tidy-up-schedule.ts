// The schedule that starts the workflow `tidyUp`: made by the setup step, found again by its id.
import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { eventsTaskQueue, tidyUpScheduleId, tidyUpWorkflow } from './names.ts';

/** Makes the schedule where it is missing. Two processes at once may both call it. */
export async function ensureTidyUpSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: tidyUpScheduleId,
      spec: { intervals: [{ every: '1 hour' }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
      action: {
        type: 'startWorkflow',
        workflowType: tidyUpWorkflow,
        workflowId: tidyUpWorkflow,
        taskQueue: eventsTaskQueue,
        args: [],
        staticSummary: 'removes what is older than the retention',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
