// What the API returns about an application at the end of a sequence.
import type { ApiClient, JsonBody } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import type { Hook, Model } from './model.ts';

export interface EventRead {
  eventId: string;
  sequence: number;
  webhookUids: string[];
  erasedAt: string | null;
}

export interface DeliveryRead {
  eventId: string;
  webhookUid: string;
  state: string;
  attemptCount: number;
  attempts: { n: number; at: string; trigger: string; status: number | null }[];
}

export interface ReplayRead {
  uid: string;
  state: string;
  releasedCount: number;
  finishedAt: string | null;
}

/** Everything that the API shows of a sequence's events, deliveries, webhooks and replays. */
export interface Reading {
  events: Map<string, EventRead>;
  deliveries: DeliveryRead[];
  replays: Map<string, ReplayRead>;
  heldCounts: Map<string, number>;
}

/** Reads the state of everything that a sequence has created. */
export async function read(client: ApiClient, model: Model): Promise<Reading> {
  const get = async (path: string): Promise<JsonBody> => {
    const { status, body, text } = await callPatiently(() => client.call('GET', path));
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return body;
  };
  const eventIds = model.reports.map(({ eventId }) => eventId);
  const ofKnown = model.replays.filter(({ uid, hook }) => uid !== '' && hook.deleted === null);
  // Read first: a replay that is done has requeued its deliveries.
  const replays = await Promise.all(
    ofKnown.map(async ({ uid, hook }) => get(`/webhooks/${hook.uid}/replays/${uid}`)),
  );
  const [events, deliveries, webhooks] = await Promise.all([
    Promise.all(eventIds.map(async (id) => get(`/events/${id}`))),
    Promise.all(eventIds.map(async (id) => get(`/events/${id}/deliveries`))),
    get('/webhooks'),
  ]);
  const data = deliveries.flatMap((page) => page['data'] as unknown as DeliveryRead[]);
  return {
    events: byUid(events as unknown as EventRead[], ({ eventId }) => eventId),
    deliveries: data,
    replays: byUid(replays as unknown as ReplayRead[], ({ uid }) => uid),
    heldCounts: new Map(
      (webhooks as unknown as { uid: string; heldCount: number }[]).map(({ uid, heldCount }) => [
        uid,
        heldCount,
      ]),
    ),
  };
}

function byUid<T>(items: readonly T[], uidOf: (item: T) => string): Map<string, T> {
  return new Map(items.map((item) => [uidOf(item), item]));
}

/** Returns the record of an event at a webhook. */
export function deliveryOf(
  { deliveries }: Reading,
  eventId: string,
  { uid }: Pick<Hook, 'uid'>,
): DeliveryRead | undefined {
  return deliveries.find((each) => each.eventId === eventId && each.webhookUid === uid);
}
