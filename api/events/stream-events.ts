import { committedBefore } from '../../lib/events/event-lists.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { readFilters } from '../http/query-values.ts';
import { headerValues } from '../http/raw-headers.ts';
import type { ApiContext } from '../context.ts';
import { operation, type Operation } from '../http/operation.ts';
import { text } from '../http/schemas.ts';
import type { ApiAnswer, ApiRequest, Handler } from '../route.ts';
import { eventFilters } from './list-events.ts';
import { readStreamId, type StreamPosition } from './stream-messages.ts';

// A stream is endless.
const { until: _, ...streamFilters } = eventFilters;

const facts: Operation = {
  id: 'streamEvents',
  summary: 'Stream events',
  description:
    'The stream sends each event after its commit, as server-sent events. The data of a message is the event with its payload. ' +
    'Messages of the types `opened` and `closed` mark the beginning and the end. To continue after an interruption, send the last ID as `Last-Event-ID`.',
  answers: { 200: { description: 'The stream', schema: text, contentType: 'text/event-stream' } },
  problems: ['invalid_cursor'],
  takesLastEventId: true,
};

async function handle(request: ApiRequest, context: ApiContext): Promise<ApiAnswer> {
  const { appUid, caller, signedIn } = request;
  const wanted = { appUid, ...readFilters(streamFilters, request.query), until: null };
  const position = readPosition(request, context);
  const sessionId = signedIn?.session._id ?? null;
  const reader = { appUid, uid: caller.actor.uid ?? '', sessionId };
  const bytes = await context.streams.open(reader, { wanted, position });
  // The connection ends with the stream, so that a shutdown need not wait for it. Proxies must not buffer messages.
  const headers = { connection: 'close', 'x-accel-buffering': 'no' };
  return { status: 200, content: { type: 'text/event-stream', bytes }, headers };
}

/** `since` includes stored events. Without it and `Last-Event-ID`, the stream starts with new events. */
export const streamEvents: Handler = operation(facts, handle, streamFilters);

function readPosition(
  { rawHeaders }: ApiRequest,
  { config, clock }: ApiContext,
): StreamPosition | null {
  const [id, ...more] = headerValues(rawHeaders, 'last-event-id');
  if (more.length > 0) throw new AppError('malformed_request', 'send Last-Event-ID only once');
  // Browsers send an empty one before the first message.
  if (id === undefined || id.trim() === '') return null;
  const position = readStreamId(id.trim());
  const keptSince = clock.now().getTime() - config.retention.recordsMs;
  if (committedBefore(position.reachedAt).getTime() >= keptSince) return position;
  const detail = 'the events since this Last-Event-ID are no longer kept; reconnect without it';
  throw new AppError('invalid_cursor', detail);
}
