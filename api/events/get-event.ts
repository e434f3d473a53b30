import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import type { EventDocument, EventFacts } from '../../lib/model/event.ts';
import { within } from '../../lib/mongo/transaction.ts';
import { factsOnly } from '../../lib/events/events.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { eventWithPayloadSchema, renderWithPayload } from './present-event.ts';
import { operation, type Operation } from '../http/operation.ts';

type Named = Pick<ApiRequest, 'appUid' | 'params'>;

const facts: Operation = {
  id: 'getEvent',
  summary: 'Get an event and its payload',
  answers: { 200: { description: 'The event', schema: eventWithPayloadSchema } },
};

export const getEvent: Handler = operation(facts, async (request, context) => {
  const bytes = Buffer.from(renderWithPayload(await readEvent(request, context)));
  return { status: 200, content: { type: 'application/json', bytes } };
});

/** Reads the event in the path, with its payload. Throws `not_found`. */
export async function readEvent(request: Named, { store }: ApiContext): Promise<EventDocument> {
  return found(await store.events.findOne(named(request)));
}

/** Reads the event in the path, without its payload. Throws `not_found`. */
export async function findEvent(
  request: Named,
  { store }: ApiContext,
  session?: ClientSession,
): Promise<EventFacts> {
  const options = { projection: factsOnly, ...within(session) };
  return found(await store.events.findOne<EventFacts>(named(request), options));
}

function named({ appUid, params }: Named): Pick<EventDocument, '_id' | 'appUid'> {
  return { _id: params['eventId'] ?? '', appUid };
}

function found<Event>(event: Event | null): Event {
  if (event === null) throw new AppError('not_found', 'there is no such event');
  return event;
}
