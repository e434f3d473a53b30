import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { coalesce } from '../concurrency/coalesce.ts';
import { FairPermits } from '../concurrency/fair-permits.ts';
import { dispatchLimits } from '../limits.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import { overloaded } from '../platform/overloaded.ts';
import { fairPriority } from './fair-priority.ts';
import type { DeliverInOrderInput } from './messages.ts';
import {
  deliverInOrderWorkflow,
  eventsTaskQueue,
  partitionWorkflowId,
  summarizeUid,
  wakeSignalName,
} from './names.ts';
import {
  appUidsAttribute,
  deliveryStateAttribute,
  resourceUidAttribute,
  webhookUidsAttribute,
} from './search-attributes.ts';

/** Signals the workflow of a partition, or starts it if none is running; rejects if Temporal is unavailable. */
export type SignalPartition = (partition: PartitionKey) => Promise<void>;

const signalTimeoutMs = 5_000;
const concurrentSignalsMax = 100;
// The events of a batch often share partitions, and one signal each is enough.
const signals = { itemsPerCallMax: 50, concurrentCallsMax: 2, callTimeoutMs: 10_000 };

/** Applications have their own queues, and share the concurrent signals. */
export function createPartitionSignaller(client: Client): SignalPartition {
  const permits = new FairPermits({
    permitsMax: concurrentSignalsMax,
    queueMax: Infinity,
    waitMsMax: signals.callTimeoutMs,
    refusal: overloaded,
  });
  const signalInTurn = (partition: PartitionKey): Promise<void> =>
    permits.run({ group: partition.appUid, member: null }, () => signal(client, partition));
  const call = async (keys: readonly PartitionKey[]): Promise<undefined[]> => {
    const partitions = new Map(keys.map((key) => [partitionId(key), key]));
    await Promise.all([...partitions.values()].map(signalInTurn));
    return keys.map(() => undefined);
  };
  return coalesce<PartitionKey, void>(signals, call, ({ appUid }) => appUid);
}

async function signal(client: Client, partition: PartitionKey): Promise<void> {
  const { appUid, webhookUid, entity, resourceUid } = partition;
  await client.withDeadline(Date.now() + signalTimeoutMs, () =>
    client.workflow.signalWithStart(deliverInOrderWorkflow, {
      workflowId: partitionWorkflowId(partition),
      taskQueue: eventsTaskQueue,
      args: [partition satisfies DeliverInOrderInput],
      signal: wakeSignalName,
      signalArgs: [],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
      staticSummary: `${entity} ${summarizeUid(resourceUid)} in order → ${webhookUid}`,
      ...fairPriority(appUid),
      typedSearchAttributes: new TypedSearchAttributes([
        { key: appUidsAttribute, value: appUid },
        { key: deliveryStateAttribute, value: 'delivering' },
        { key: resourceUidAttribute, value: resourceUid },
        { key: webhookUidsAttribute, value: [webhookUid] },
      ]),
    }),
  );
}
