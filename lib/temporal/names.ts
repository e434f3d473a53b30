// The names operators see in the Temporal UI: task queues, workflow types and ids.
import { partitionId, type PartitionKey } from '../model/partition.ts';

export const eventsTaskQueue = 'herald-events';
export const deliveriesTaskQueue = 'herald-deliveries';
/** Apart: failing receivers must not delay first attempts. */
export const retriesTaskQueue = 'herald-retries';
/** Apart: a queue full of retries must not delay deliveries in order. */
export const orderTaskQueue = 'herald-order';

// Running workflows have these names: never rename one.
export const deliverEventsWorkflow = 'deliverEvents';
export const deliverInOrderWorkflow = 'deliverInOrder';
export const runJobWorkflow = 'runJob';
/** Reports to `deliverInOrder` that something has changed in its partition. */
export const movedSignalName = 'moved';
/** Reports to `deliverEvents` that a job took or cancelled deliveries that wait for a retry. */
export const overtakenSignalName = 'overtaken';

/** The type of the failure of an activity whose deliveries failed for good. */
export const deliveryFailedType = 'DeliveryFailed';

// Ids make starts idempotent: a second one of the same id is refused, or a signal to the first.
export function partitionWorkflowId(partition: PartitionKey): string {
  return `order/${partitionId(partition)}`;
}

export function jobWorkflowId(jobUid: string): string {
  return `job/${jobUid}`;
}

export function jobPageWorkflowId(jobUid: string, page: number): string {
  return `${jobWorkflowId(jobUid)}/${page}`;
}

export const retentionJobUid = 'retention';
export const retentionScheduleId = 'herald-retention';

export function eventWorkflowId(eventId: string): string {
  return `event/${eventId}`;
}

/** Returns the id of the workflow of several events, which name it, so that a repeat is the same batch. */
export function batchWorkflowId(batchId: string): string {
  return `batch/${batchId}`;
}

// Servers may refuse a summary of more than 400 bytes; a character of a foreign uid has up to 4.
const summarizedCharactersMax = 64;

/** Returns a resource's uid for a summary, cut if long; its search attribute has it whole. */
export function summarizeUid(resourceUid: string): string {
  const characters = Array.from(resourceUid);
  if (characters.length <= summarizedCharactersMax) return resourceUid;
  return `${characters.slice(0, summarizedCharactersMax - 1).join('')}…`;
}
