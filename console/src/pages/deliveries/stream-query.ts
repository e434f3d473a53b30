import { subscribedEventNames } from '@agent-herald/client';
import type { StreamQuery } from '../../api/event-stream.ts';

interface Search {
  event?: string;
  externalTenantId?: string;
  until?: string;
}

/** Returns the filters of the events that a list of deliveries follows. Null if none can add to the list. */
export function streamQueryOf({ event, externalTenantId, until }: Search): StreamQuery | null {
  const name = subscribedEventNames.find((one) => one === event);
  // The stream has no tests.
  if (until !== undefined || (event !== undefined && name === undefined)) return null;
  return {
    ...(name === undefined ? {} : { event: name }),
    ...(externalTenantId === undefined ? {} : { externalTenantId }),
  };
}
