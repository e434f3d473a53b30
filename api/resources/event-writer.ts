// Writes reported events, and finds the webhooks that get them, many in one call.
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { type Entity, testEventName } from '../../lib/model/event-name.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { countReports } from '../../lib/mongo/sequences.ts';
import { findSubscriptions } from '../../lib/webhooks/webhooks.ts';

interface Wanted {
  appUid: string;
  entities: readonly Entity[];
}

export interface EventWriter {
  /** Returns the webhooks for any of the entities, paused ones included; read after the call, never cached. */
  findWebhooks(wanted: Wanted): Promise<WebhookDocument[]>;
  /** Writes an event and returns it with its sequence, once a majority of the servers has it in its journal. */
  insert(event: EventDocument): Promise<EventDocument>;
}

// Longer than the driver's timeout for a server that is away, whose error says more.
const writes = { itemsPerCallMax: 100, callsAtOnceMax: 2, callTimeoutMs: 10_000 };
const reads = { itemsPerCallMax: 200, callsAtOnceMax: 4 };

export function createEventWriter(store: Store): EventWriter {
  const insert = coalesce(writes, async (events: readonly EventDocument[]) => {
    const numbered = await withSequences(store, events);
    await store.events.insertMany(numbered, { ordered: false });
    return numbered;
  });
  return {
    findWebhooks: coalesce(reads, async (wanted: readonly Wanted[]) => {
      const appUids = [...new Set(wanted.map(({ appUid }) => appUid))];
      const entities = [...new Set(wanted.flatMap((each) => each.entities))];
      const webhooks = await findSubscriptions(store, { appUids, entities });
      return wanted.map(({ appUid }) => webhooks.filter((webhook) => webhook.appUid === appUid));
    }),
    insert,
  };
}

async function withSequences(
  store: Store,
  events: readonly EventDocument[],
): Promise<EventDocument[]> {
  const changes = events.filter(({ event }) => event !== testEventName);
  const sequences = await countReports(store, changes);
  const numbers = new Map(changes.map(({ _id }, index) => [_id, sequences[index] ?? null]));
  return events.map((event) => ({ ...event, sequence: numbers.get(event._id) ?? null }));
}
