// Names that operators see in the Temporal UI: task queues, workflow types and IDs.
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';

export const eventsTaskQueue = 'herald-events';
export const deliveriesTaskQueue = 'herald-deliveries';
/** A separate queue, because failing receivers must not delay first attempts. */
export const retriesTaskQueue = 'herald-retries';
/** A separate queue, because retries must not delay ordered deliveries. */
export const orderTaskQueue = 'herald-order';

// Running workflows have these names: never rename one.
export const deliverEventsWorkflow = 'deliverEvents';
export const deliverInOrderWorkflow = 'deliverInOrder';
export const runJobWorkflow = 'runJob';
/** Wakes `deliverInOrder` when its partition has changed. */
export const wakeSignalName = 'moved';
/** Signals `deliverEvents` that a job took or cancelled deliveries that wait for a retry. */
export const takenByJobSignalName = 'overtaken';

/** The failure type of an activity whose deliveries failed for good. */
export const deliveryFailedType = 'DeliveryFailed';

// These IDs make starts idempotent: a second start with the same ID is refused, or becomes a signal to the first.
export function partitionWorkflowId(partition: PartitionKey): string {
  return `order/${partitionId(partition)}`;
}

export function jobWorkflowId(jobUid: string): string {
  return `job/${jobUid}`;
}

export function jobPageWorkflowId(jobUid: string, page: number): string {
  return `${jobWorkflowId(jobUid)}/${page}`;
}

/** Returns the ID of the workflow in which a job or a partition sends a delivery; null if neither does. */
export function nextWorkflowId({
  jobUid,
  jobPage,
  partition,
}: Pick<DeliveryDocument, 'jobUid' | 'jobPage' | 'partition'>): string | null {
  if (jobUid !== null) return jobPageWorkflowId(jobUid, jobPage ?? 0);
  return partition === null ? null : `order/${partition}`;
}

export const retentionJobUid = 'retention';
export const retentionScheduleId = 'herald-retention';

/** Returns the workflow ID of an event, such as `agent.created/evt_…`; the list of workflows shows it. */
export function eventWorkflowId({ _id, event }: Pick<EventDocument, '_id' | 'event'>): string {
  return `${event}/${_id}`;
}

/** Returns the workflow ID of a batch, which its events store, so that a repeat is the same batch. */
export function batchWorkflowId(batchId: string): string {
  return `batch/${batchId}`;
}

// Servers may refuse summaries of more than 400 bytes, and a character of a foreign uid may take 4.
const summarizedCharactersMax = 64;

/** Returns a resource's uid for a summary, truncated if long; its search attribute has all of it. */
export function summarizeUid(resourceUid: string): string {
  const characters = Array.from(resourceUid);
  if (characters.length <= summarizedCharactersMax) return resourceUid;
  return `${characters.slice(0, summarizedCharactersMax - 1).join('')}…`;
}
