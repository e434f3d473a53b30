import type { EventDocument } from '../model/event.ts';

const names = ['ce-specversion', 'ce-id', 'ce-source', 'ce-type', 'ce-time'] as const;

/** The headers that a webhook with `cloudEvents` cannot have itself. */
export const cloudEventNames: ReadonlySet<string> = new Set(names);

/** Returns the headers of an event in the binary mode of CloudEvents 1.0. */
export function cloudEventHeaders(
  {
    _id,
    appUid,
    event,
    createdAt,
  }: Pick<EventDocument, '_id' | 'appUid' | 'createdAt'> & { event: string },
  body: string,
): Record<(typeof names)[number], string> {
  // A test can have the sample of another event as its payload.
  const [, type = event] = /^\{"eventId":"[^"]*","event":"([^"]*)"/.exec(body) ?? [];
  return {
    'ce-specversion': '1.0',
    'ce-id': _id,
    'ce-source': `/api/v1/appuid/${appUid}`,
    'ce-type': type,
    'ce-time': createdAt.toISOString(),
  };
}
