// Writes reported events, and finds the webhooks that get them, many in one call.
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { entityOf, type EventName, testEventName } from '../../lib/model/event-name.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { Subscription } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { countReports } from '../../lib/mongo/sequences.ts';
import { findSubscriptions, isSubscribed } from '../../lib/webhooks/webhooks.ts';

interface Audience {
  appUid: string;
  event: EventName;
  externalTenantId: string;
}

export interface EventWriter {
  /** Returns the webhooks, paused ones included; read after the call, never cached. */
  findSubscribers(audience: Audience): Promise<Subscription[]>;
  /** Writes an event with its sequence; resolved, a majority of the servers has it in its journal. */
  insert(event: EventDocument): Promise<void>;
}

// Longer than the driver's timeout for a server that is away, whose error says more.
const writes = { itemsPerCallMax: 100, callsAtOnceMax: 2, callTimeoutMs: 10_000 };
const reads = { itemsPerCallMax: 200, callsAtOnceMax: 4 };

export function createEventWriter(store: Store): EventWriter {
  const insert = coalesce(writes, async (events: readonly EventDocument[]) => {
    await store.events.insertMany(await withSequences(store, events), { ordered: false });
    return events.map(() => undefined);
  });
  return {
    findSubscribers: coalesce(reads, async (audiences: readonly Audience[]) => {
      const appUids = [...new Set(audiences.map((audience) => audience.appUid))];
      const entities = [...new Set(audiences.map((audience) => entityOf(audience.event)))];
      const subscriptions = await findSubscriptions(store, { appUids, entities });
      return audiences.map((audience) =>
        subscriptions
          .filter((webhook) => webhook.appUid === audience.appUid)
          .filter((webhook) => isSubscribed(webhook, audience)),
      );
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
