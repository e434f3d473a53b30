// The names operators see in the Temporal UI: task queues, workflow types and ids, search attributes.
// No Node built-ins here: workflows import this file.
import { partitionId, type PartitionKey } from '../model/partition.ts';

export const eventsTaskQueue = 'herald-events';
export const deliveriesTaskQueue = 'herald-deliveries';
/** Retries, apart: whoever is slow enough to be retried must not keep first attempts waiting. */
export const retriesTaskQueue = 'herald-retries';

/** The workflow's type. It is a public name: running workflows carry it, so it is never renamed. */
export const deliverEventsWorkflow = 'deliverEvents';

/** The workflow of a partition, which delivers the events about one resource one after the other. */
export const deliverInOrderWorkflow = 'deliverInOrder';

/** Tells the workflow of a partition that something has changed in it. */
export const movedSignalName = 'moved';

/** The one workflow of a partition at a time: a second start of it is a signal to the first. */
export function partitionWorkflowId(partition: PartitionKey): string {
  return `order/${partitionId(partition)}`;
}

/** The workflow of a job: a release, resend, replay or erasure. */
export const runJobWorkflow = 'runJob';

/** The workflow id of a job: starting it again is refused by its id. */
export function jobWorkflowId(jobUid: string): string {
  return `job/${jobUid}`;
}

/** The workflow that makes the deliveries of a job's page. */
export function jobPageWorkflowId(jobUid: string, page: number): string {
  return `${jobWorkflowId(jobUid)}/${page}`;
}

/** The job that deletes what is old, and the schedule that starts it each hour. */
export const retentionJobUid = 'retention';
export const retentionScheduleId = 'herald-retention';

/** The workflow that carries one event: a second start of the same event is refused by its id. */
export function eventWorkflowId(eventId: string): string {
  return `event/${eventId}`;
}

/** The workflow that carries a batch of events; the events name it, so that a repeat is the same batch. */
export function batchWorkflowId(batchId: string): string {
  return `batch/${batchId}`;
}

/** A process that is killed holding a workflow's task delays it by this much. */
export const workflowTaskTimeoutMs = 5_000;

/** The custom search attributes and their types (docs/operations.md, "Temporal's UI"). */
export const searchAttributeTypes = {
  AppUid: 'Keyword',
  EventType: 'Keyword',
  ExternalTenantId: 'Keyword',
  ResourceUid: 'Keyword',
  DeliveryState: 'Keyword',
  EventIds: 'KeywordList',
  WebhookUids: 'KeywordList',
  FailingWebhookUids: 'KeywordList',
} as const;

/** Temporal takes 2 KB a search attribute; 60 of our ids fit, so no workflow carries more events. */
export const idsPerSearchAttributeMax = 60;

// Servers may refuse a summary of more than 400 bytes. A character of a uid from elsewhere has 4 at
// most, so that so many leave room for the rest.
const summarizedCharactersMax = 64;

/** Gives the uid of a resource as a summary tells it: a long one is cut, and whole in its search attribute. */
export function summarizeUid(resourceUid: string): string {
  const characters = Array.from(resourceUid);
  if (characters.length <= summarizedCharactersMax) return resourceUid;
  return `${characters.slice(0, summarizedCharactersMax - 1).join('')}…`;
}
