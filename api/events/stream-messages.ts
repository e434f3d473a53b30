// The messages of a stream of server-sent events, and the IDs to resume it with.
import type { EventDocument } from '../../lib/model/event.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { renderWithPayload } from './present-event.ts';

/** The position of a reader. Without a token it is only known by time. */
export interface StreamPosition {
  reachedAt: Date;
  token: string | null;
}

const timeBase = 36;
const shape = /^([0-9a-z]{8})(?:\.([0-9A-F]{16,1000}))?$/;

export function streamIdOf({ reachedAt, token }: StreamPosition): string {
  const time = reachedAt.getTime().toString(timeBase);
  return token === null ? time : `${time}.${token}`;
}

/** Throws `invalid_cursor`. */
export function readStreamId(text: string): StreamPosition {
  const [, time, token = null] = shape.exec(text) ?? [];
  if (time !== undefined) return { reachedAt: new Date(parseInt(time, timeBase)), token };
  const detail = 'Last-Event-ID must be the id of a message of this stream';
  const errors = [{ pointer: 'Last-Event-ID', code: 'stream' as const, detail }];
  throw new AppError('invalid_cursor', detail, { errors });
}

const closings = {
  slow_reader: 'your client reads more slowly than events arrive; reconnect with your last id',
  interrupted: 'the database is unavailable; reconnect with your last id',
  stopping: 'this process is stopping; reconnect with your last id',
  key_ended: 'your API key has expired, or was revoked or deleted',
  session_ended: 'your session has ended; sign in again',
  role_ended: 'you no longer have a role in this application',
  app_disabled: 'this application is disabled',
} as const;

export type CloseReason = keyof typeof closings;

export function renderOpened(retryMs: number, position: StreamPosition | null): string {
  return `retry: ${retryMs}\nevent: opened\n${idLine(position)}data: {}\n\n`;
}

export function renderEvent(event: EventDocument, position: StreamPosition): string {
  // JSON has line breaks, which would end the data, only between tokens.
  const text = renderWithPayload(event);
  const data = text.replaceAll(/[\r\n]/g, ' ');
  // Clients that do not know this field ignore it.
  const exact = data === text ? '' : `payload: ${JSON.stringify(event.body)}\n`;
  return `${idLine(position)}${exact}data: ${data}\n\n`;
}

/** Returns a comment. Its ID advances readers for which there was no event. */
export function renderHeartbeat(position: StreamPosition | null): string {
  return `: heartbeat\n${idLine(position)}\n`;
}

export function renderClosed(reason: CloseReason): string {
  return `event: closed\ndata: ${JSON.stringify({ reason, detail: closings[reason] })}\n\n`;
}

function idLine(position: StreamPosition | null): string {
  return position === null ? '' : `id: ${streamIdOf(position)}\n`;
}
