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
    webhookUids: event.webhookUids,
    workflowId: event.workflowId,
    dispatchedAt: event.dispatchedAt?.toISOString() ?? null,
    erasedAt: event.erasedAt?.toISOString() ?? null,
  };
}

/** Returns an event as JSON, with the payload as receivers get it, byte for byte; null once it was erased. */
export function renderWithPayload(event: EventDocument): string {
  const payload = event.erasedAt === null ? event.body : 'null';
  return withField(JSON.stringify(presentEvent(event)), 'payload', payload);
}

const properties = {
  eventId: text,
  event: oneOfTexts(deliveredEventNames),
  timestamp: { ...time, description: 'The time of the change.' },
  appUid: text,
  resourceUid: text,
  externalTenantId: text,
  sequence: {
    ...orNull(countFromOne),
    description:
      'Of the changes of one resource, its kind and uid together; null for a test and for an event of operations webhooks.',
  },
  webhookUids: { ...listOf(text), description: 'The webhooks that were subscribed to it.' },
  workflowId: {
    ...textOrNull,
    description:
      'The Temporal workflow of the event, alone or with others; null while none is chosen, and where nobody subscribed.',
  },
  dispatchedAt: {
    ...timeOrNull,
    description: 'When it was started; without a subscriber, when the event was recorded.',
  },
  erasedAt: { ...timeOrNull, description: 'When the payload was erased.' },
};

type PresentedEvent = ReturnType<typeof presentEvent>;

export const eventSchema = named('Event', objectOf<PresentedEvent>(properties));

export const eventWithPayloadSchema = named(
  'EventWithPayload',
  objectOf<PresentedEvent & { payload: unknown }>({
    ...properties,
    payload: {
      type: ['object', 'null'],
      description: 'The body that receivers get, byte for byte; null once it was erased.',
    },
  }),
);
