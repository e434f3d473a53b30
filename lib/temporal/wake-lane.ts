// Wakes the workflow of a lane, or starts it where none runs.
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { coalesce } from '../coalesce.ts';
import type { LaneNews, WakeLane } from '../delivery/ports.ts';
import type { DeliverInOrderInput } from './messages.ts';
import {
  deliverInOrderWorkflow,
  eventsTaskQueue,
  laneWorkflowId,
  summarizeUid,
  wakeSignalName,
} from './names.ts';
import {
  appUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  resourceUidAttribute,
  webhookUidsAttribute,
} from './search-attributes.ts';

const wakeTimeoutMs = 5_000;
// A batch of events is often about few resources: one signal a lane does for all that came together.
const wakes = { itemsPerCallMax: 50, callsAtOnceMax: 2 };

/** Makes the function that wakes the lanes of a process. */
export function createLaneWaker(client: Client): WakeLane {
  return coalesce(wakes, async (news: readonly LaneNews[]) => {
    const lanes = new Map<string, LaneNews[]>();
    for (const each of news) {
      const workflowId = laneWorkflowId(each.lane);
      lanes.set(workflowId, [...(lanes.get(workflowId) ?? []), each]);
    }
    await Promise.all([...lanes].map(([workflowId, each]) => wake(client, workflowId, each)));
    return news.map(() => undefined);
  });
}

async function wake(client: Client, workflowId: string, news: readonly LaneNews[]): Promise<void> {
  const [first] = news;
  if (first === undefined) return;
  const { appUid, webhookUid, entity, resourceUid } = first.lane;
  const input: DeliverInOrderInput = first.lane;
  const letGo = news.flatMap((each) => each.letGo ?? []);
  const arrived = [...new Set(news.flatMap((each) => each.arrived ?? []))];
  await client.withDeadline(Date.now() + wakeTimeoutMs, () =>
    client.workflow.signalWithStart(deliverInOrderWorkflow, {
      workflowId,
      taskQueue: eventsTaskQueue,
      args: [input],
      signal: wakeSignalName,
      signalArgs: [letGo, arrived],
      // The one before has ended because its lane was empty.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${entity} ${summarizeUid(resourceUid)} in order → ${webhookUid}`,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: appUidAttribute, value: appUid },
        { key: deliveryStateAttribute, value: 'delivering' },
        { key: resourceUidAttribute, value: resourceUid },
        { key: webhookUidsAttribute, value: [webhookUid] },
        ...(arrived.length === 0 ? [] : [{ key: eventIdsAttribute, value: arrived }]),
      ]),
    }),
  );
}
