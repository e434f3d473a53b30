import { type BacklogCount, type OpenDeliveries, readBacklog } from '../../lib/history/backlog.ts';
import { boolean, count, named, objectOf, time, timeOrNull } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../router.ts';

const countIsCapped = { ...boolean, description: 'There may be more.' };
const countFields = { count: { ...count, description: 'At most 10,000.' }, countIsCapped };

const openSchema = named(
  'OpenDeliveries',
  objectOf<BacklogCount & { oldestAt: string | null }>({
    ...countFields,
    oldestAt: { ...timeOrNull, description: 'When the oldest of them was first recorded.' },
  }),
);

const backlogSchema = named(
  'Backlog',
  objectOf<Record<'at' | 'pending' | 'retrying' | 'held' | 'undispatched', unknown>>({
    at: time,
    pending: openSchema,
    retrying: openSchema,
    held: openSchema,
    undispatched: {
      ...named('UndispatchedEvents', objectOf<BacklogCount>({ count, countIsCapped })),
      description:
        'Events whose workflow was not started yet, of the first 200 of the whole service; the count is capped where there are more of these.',
    },
  }),
);

const facts: Operation = {
  id: 'getBacklog',
  summary: 'Counts what is still to be delivered',
  description: 'Cheap enough to be asked every 10 seconds.',
  answers: { 200: { description: 'The deliveries by state', schema: backlogSchema } },
};

export const getBacklog: Handler = operation(facts, async ({ appUid }, { store, clock }) => {
  const at = clock.now().toISOString();
  const { deliveries, undispatched } = await readBacklog(store, appUid);
  const { pending, retrying, held } = deliveries;
  const body = {
    at,
    pending: presentOpen(pending),
    retrying: presentOpen(retrying),
    held: presentOpen(held),
    undispatched,
  };
  return { status: 200, body };
});

function presentOpen({ oldestAt, ...counted }: OpenDeliveries) {
  return { ...counted, oldestAt: oldestAt?.toISOString() ?? null };
}
