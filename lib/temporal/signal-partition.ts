// Signals the workflow of a partition, or starts it where none runs.
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { coalesce } from '../concurrency/coalesce.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { DeliverInOrderInput } from './messages.ts';
import {
  deliverInOrderWorkflow,
  eventsTaskQueue,
  movedSignalName,
  partitionWorkflowId,
  summarizeUid,
  workflowTaskTimeoutMs,
} from './names.ts';
import {
  appUidAttribute,
  deliveryStateAttribute,
  resourceUidAttribute,
  webhookUidsAttribute,
} from './search-attributes.ts';

/** Signals the workflow of a partition, or starts it; rejects when Temporal is away. */
export type SignalPartition = (partition: PartitionKey) => Promise<void>;

const signalTimeoutMs = 5_000;
// A batch of events is often about few resources: one signal a partition does for all that came together.
const signals = { itemsPerCallMax: 50, callsAtOnceMax: 2, callTimeoutMs: 10_000 };

/** Makes the function that signals the partitions of a process. */
export function createPartitionSignaller(client: Client): SignalPartition {
  return coalesce(signals, async (keys: readonly PartitionKey[]) => {
    const partitions = new Map(keys.map((key) => [partitionId(key), key]));
    await Promise.all([...partitions.values()].map((partition) => signal(client, partition)));
    return keys.map(() => undefined);
  });
}

async function signal(client: Client, partition: PartitionKey): Promise<void> {
  const { appUid, webhookUid, entity, resourceUid } = partition;
  const input: DeliverInOrderInput = partition;
  await client.withDeadline(Date.now() + signalTimeoutMs, () =>
    client.workflow.signalWithStart(deliverInOrderWorkflow, {
      workflowId: partitionWorkflowId(partition),
      taskQueue: eventsTaskQueue,
      args: [input],
      signal: movedSignalName,
      signalArgs: [],
      // The one before has ended because nothing waited.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: workflowTaskTimeoutMs,
      staticSummary: `${entity} ${summarizeUid(resourceUid)} in order → ${webhookUid}`,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: appUidAttribute, value: appUid },
        { key: deliveryStateAttribute, value: 'delivering' },
        { key: resourceUidAttribute, value: resourceUid },
        { key: webhookUidsAttribute, value: [webhookUid] },
      ]),
    }),
  );
}
