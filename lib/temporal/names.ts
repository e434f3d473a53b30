// The names operators see in the Temporal UI: task queues, workflow types and ids, search attributes.
// No Node built-ins here: workflows import this file.
import type { ResumedWebhook } from '../model/webhook.ts';

export const eventsTaskQueue = 'herald-events';
export const deliveriesTaskQueue = 'herald-deliveries';
/** Retries, apart: whoever is slow enough to be retried must not keep first attempts waiting. */
export const retriesTaskQueue = 'herald-retries';

/** The workflow's type. It is a public name: running workflows carry it, so it is never renamed. */
export const deliverEventsWorkflow = 'deliverEvents';

/** The workflow that releases what a paused webhook held; its type is a public name too. */
export const redeliverWorkflow = 'redeliver';

/** The workflow of a lane, which delivers the events about one resource one after the other. */
export const deliverInOrderWorkflow = 'deliverInOrder';

/** Tells the workflow of a lane that there is something new in it. */
export const wakeSignalName = 'wake';

/** The one workflow of a lane at a time: a second start of it is a signal to the first. */
export function laneWorkflowId({ webhookUid, entity, resourceUid }: LaneName): string {
  return `order/${webhookUid}/${entity}/${resourceUid}`;
}

interface LaneName {
  webhookUid: string;
  entity: string;
  resourceUid: string;
}

/** The workflow that removes what is old, and the schedule that starts it. */
export const tidyUpWorkflow = 'tidyUp';
export const tidyUpScheduleId = 'herald-tidy-up';

/** The workflow that takes payloads away on request. */
export const eraseWorkflow = 'erase';

/** The workflow of an erasure. */
export function eraseWorkflowId(erasureUid: string): string {
  return `erase/${erasureUid}`;
}

/**
 * The release of one resume: starting it again for the same resume is refused by its id. A resume from
 * before they had uids is known by its time.
 */
export function releaseWorkflowId({ _id, releaseUid, resumedAt }: ResumedWebhook): string {
  return `release/${_id}/${releaseUid ?? resumedAt.getTime()}`;
}

/** The workflow of a resend, replay or discard. */
export function redeliverWorkflowId(redeliveryUid: string): string {
  return `redeliver/${redeliveryUid}`;
}

/** The workflow that carries one event: a second start of the same event is refused by its id. */
export function eventWorkflowId(eventId: string): string {
  return `event/${eventId}`;
}

/** The workflow that carries a batch of events; the events name it, so that a repeat is the same batch. */
export function batchWorkflowId(batchId: string): string {
  return `batch/${batchId}`;
}

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
