// GET …/events/{eventId}: one event with the payload that receivers get.
import { AppError } from '../../lib/errors.ts';
import type { EventDocument } from '../../lib/store/events.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../http/router.ts';
import { presentEventWithPayload } from './present-event.ts';

/** Gives an event. Throws `not_found`. */
export const getEvent: Handler = async (request, context) => ({
  status: 200,
  body: presentEventWithPayload(await findEvent(request, context)),
});

/** Finds the event that the path names. Throws `not_found`. */
export async function findEvent(
  { appUid, params }: Pick<ApiRequest, 'appUid' | 'params'>,
  context: ApiContext,
): Promise<EventDocument> {
  const event = await context.store.events.findOne({ _id: params['eventId'] ?? '', appUid });
  if (event === null) throw new AppError('not_found', 'there is no such event');
  return event;
}
