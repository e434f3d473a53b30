import {
  type BacklogCount,
  type OpenDeliveries,
  type OpenState,
  readBacklog,
} from '../../lib/history/backlog.ts';
import { boolean, count, named, objectOf, orNull, time, timeOrNull } from '../http/schemas.ts';
import { overdueFileSchema } from '../event-types/notice-data.ts';
import { operation, type Operation } from '../http/operation.ts';
import { countOverdueFiles, type OverdueFiles } from '../../lib/webhooks/overdue-files.ts';
import type { Handler } from '../route.ts';

const countIsCapped = { ...boolean, description: 'True if there may be more.' };
const countFields = {
  count: { ...count, description: 'The count is at most 10,000.' },
  countIsCapped,
};

const openSchema = named(
  'OpenDeliveries',
  objectOf<BacklogCount & { oldestAt: string | null }>({
    ...countFields,
    oldestAt: {
      ...timeOrNull,
      description: 'The time when the oldest of these deliveries was first recorded.',
    },
  }),
);

const backlogSchema = named(
  'Backlog',
  objectOf<Record<'at' | OpenState | 'undispatched' | 'overdueFiles', unknown>>({
    at: time,
    pending: openSchema,
    retrying: openSchema,
    held: openSchema,
    undispatched: {
      ...named('UndispatchedEvents', objectOf<BacklogCount>({ count, countIsCapped })),
      description:
        'Events of the application whose workflow has not been started. Only the first 200 such events of the whole service are searched. The count is capped if there are more.',
    },
    overdueFiles: {
      ...named(
        'OverdueFiles',
        objectOf<OverdueFiles>({
          ...countFields,
          oldest: orNull(named('OverdueFile', overdueFileSchema)),
        }),
      ),
      description:
        'Context files stored here that have been processing for longer than `processingOverdueAfter` of the settings.',
    },
  }),
);

const facts: Operation = {
  id: 'getBacklog',
  summary: 'Count open deliveries and overdue files',
  description: 'You can make this call every 10 seconds.',
  answers: { 200: { description: 'The open deliveries by state', schema: backlogSchema } },
};

export const getBacklog: Handler = operation(
  facts,
  async ({ appUid }, { store, clock, config }) => {
    const now = clock.now();
    const { processingOverdueAfterMs } = config;
    const [{ deliveries, undispatched }, overdueFiles] = await Promise.all([
      readBacklog(store, appUid),
      countOverdueFiles({ store, processingOverdueAfterMs }, { appUid, now }),
    ]);
    const { pending, retrying, held } = deliveries;
    const body = {
      at: now.toISOString(),
      pending: presentOpen(pending),
      retrying: presentOpen(retrying),
      held: presentOpen(held),
      undispatched,
      overdueFiles,
    };
    return { status: 200, body };
  },
);

function presentOpen({ oldestAt, ...counted }: OpenDeliveries) {
  return { ...counted, oldestAt: oldestAt?.toISOString() ?? null };
}
