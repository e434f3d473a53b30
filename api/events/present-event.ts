import type { EventDocument, EventFacts } from '../../lib/model/event.ts';
import { withField } from '../../lib/model/event-payload.ts';
import {
  countFromOne,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schemas.ts';
import { deliveredEventNames } from '../../lib/model/event-name.ts';

export function presentEvent(event: EventFacts) {
  return {
    eventId: event._id,
    event: event.event,
    timestamp: event.createdAt.toISOString(),
    appUid: event.appUid,
    resourceUid: event.resourceUid,
    externalTenantId: event.externalTenantId,
    sequence: event.sequence,
    syncUid: event.syncUid ?? null,
    webhookUids: event.webhookUids,
    workflowId: event.workflowId,
    dispatchedAt: event.dispatchedAt?.toISOString() ?? null,
    erasedAt: event.erasedAt?.toISOString() ?? null,
  };
}

/** Returns an event as JSON, with the payload byte for byte as receivers get it, or null after an erasure. */
export function renderWithPayload(event: EventDocument): string {
  const payload = event.erasedAt === null ? event.body : 'null';
  return withField(JSON.stringify(presentEvent(event)), 'payload', payload);
}

const properties = {
  eventId: text,
  event: oneOfTexts(deliveredEventNames),
  timestamp: { ...time, description: 'The time of the change, or of the sync.' },
  appUid: text,
  resourceUid: text,
  externalTenantId: text,
  sequence: {
    ...orNull(countFromOne),
    description:
      'The number of the change among the changes of one resource. A resource is identified by its kind and uid. Null for a test and for a notice.',
  },
  syncUid: {
    ...textOrNull,
    description: 'The sync that sends the present state with this event. Null for a change.',
  },
  webhookUids: { ...listOf(text), description: 'The webhooks that were subscribed to the event.' },
  workflowId: {
    ...textOrNull,
    description:
      'The Temporal workflow of the event. Several events can share a workflow. Null until a workflow is chosen, or if no webhook was subscribed.',
  },
  dispatchedAt: {
    ...timeOrNull,
    description:
      'The time when the workflow was started. If no webhook was subscribed, the time when the event was recorded.',
  },
  erasedAt: { ...timeOrNull, description: 'The time when the payload was erased.' },
};

type PresentedEvent = ReturnType<typeof presentEvent>;

export const eventSchema = named('Event', objectOf<PresentedEvent>(properties));

export const eventWithPayloadSchema = named(
  'EventWithPayload',
  objectOf<PresentedEvent & { payload: unknown }>({
    ...properties,
    payload: {
      type: ['object', 'null'],
      description: 'The exact bytes of the body that receivers get. Null after an erasure.',
    },
  }),
);
