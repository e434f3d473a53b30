// Writes events that no resource of ours is changed with, and finds who gets them, many at once.
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { entityOf, type EventName, testEventName } from '../../lib/model/event-name.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { Subscription } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { countReports } from '../../lib/mongo/sequences.ts';
import { findSubscriptions, isSubscribed } from '../../lib/webhooks/webhooks.ts';

/** Whose webhooks: those of an application that get this kind of event of this tenant. */
export interface Audience {
  appUid: string;
  event: EventName;
  externalTenantId: string;
}

export interface EventWriter {
  /** Gives the audience's webhooks, paused ones too; read after the call, never cached. */
  findSubscribers(audience: Audience): Promise<Subscription[]>;
  /**
   * Writes an event, with its number among those of its resource. When it resolves, a majority of the
   * servers has it in its journal.
   */
  insert(event: EventDocument): Promise<void>;
}

// An insert waits for the disk, which takes many documents in the time of one. It is given up later than
// the driver gives up a server that is away, whose error says more.
const writes = { itemsPerCallMax: 100, callsAtOnceMax: 2, callTimeoutMs: 10_000 };
const reads = { itemsPerCallMax: 200, callsAtOnceMax: 4 };

/** Makes the writer of a process. */
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

/** Counts the changes; a test of a webhook is none. */
async function withSequences(
  store: Store,
  events: readonly EventDocument[],
): Promise<EventDocument[]> {
  const changes = events.filter(({ event }) => event !== testEventName);
  const sequences = await countReports(store, changes);
  const numbers = new Map(changes.map(({ _id }, index) => [_id, sequences[index] ?? null]));
  return events.map((event) => ({ ...event, sequence: numbers.get(event._id) ?? null }));
}
