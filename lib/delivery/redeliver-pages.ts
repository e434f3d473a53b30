// What is sent again or dropped, a page at a time: held deliveries, one event's, or those of a range of events.
import type { DeliveryKey } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { RedeliveryDocument, ReplayDocument, ResendDocument } from '../model/redelivery.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { inTransaction } from '../store/connect.ts';
import type { Store } from '../store/connect.ts';
import { findRequeued, requeueDeliveries } from '../store/deliveries.ts';
import { findTaken, takeHeld } from '../store/held-deliveries.ts';
import { beginPage, noteRedeliveryProgress, toStart } from '../store/redeliveries.ts';
import { findKnownWebhooks } from '../store/webhooks.ts';
import { releasedPerSecondDefault } from '../temporal/messages.ts';
import type { RedeliverInput, RedeliverPage } from '../temporal/messages.ts';
import { discardPage } from './discard.ts';
import type { DeliveryPorts } from './ports.ts';
import { lookAtEvents, mayLookUntil } from './replayed-events.ts';

type PagePorts = Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>;

/**
 * Takes the page after `input.after` and gives what is to be delivered; what is to be dropped is
 * dropped. The deliveries are handed to the redelivery or release first, so that each is due and
 * nothing else sends it. Repeating a page gives it again, also when it was the last or the redelivery
 * was cancelled since: what was taken has nobody else to carry it. Of two that take a page at once the
 * later gives what the first has taken.
 */
export async function takePage(ports: PagePorts, input: RedeliverInput): Promise<RedeliverPage> {
  const { store } = ports;
  const { source, appUid, after } = input;
  if (source.kind === 'held') return takeHeldPage(ports, input, source);
  const now = ports.clock.now();
  const redelivery = await store.redeliveries.findOne({ _id: source.redeliveryUid, appUid });
  if (redelivery === null) return nothingAfter(after);
  const isNext = redelivery.state === 'running' && (redelivery.reached ?? '') <= after;
  const page = isNext
    ? await takeRedeliveryPage(ports, redelivery, { after, now })
    : await giveAgain(store, redelivery, after);
  // It has ended or gone on since it was read.
  if (page === null) return takePage(ports, input);
  const count = page.events.reduce((sum, event) => sum + event.webhookUids.length, 0);
  const releasedCount = input.released + count;
  const { after: reached, isLast: isDone } = page;
  await noteRedeliveryProgress(store, redelivery._id, { releasedCount, reached, isDone, now });
  return page;
}

function nothingAfter(after: string): RedeliverPage {
  return { events: [], after, isLast: true };
}

/** Gives what was taken before the redelivery went on, was done or cancelled and was not handed on: a crash came between. */
async function giveAgain(
  store: Store,
  redelivery: RedeliveryDocument,
  after: string,
): Promise<RedeliverPage> {
  if (redelivery.kind === 'discard') return nothingAfter(after);
  const taken = await findRequeued(store, toStart(redelivery), after);
  const eventIds = [...new Set(taken.map(({ eventId }) => eventId))];
  const events = eventIds.map((eventId) => {
    const ofEvent = taken.filter((delivery) => delivery.eventId === eventId);
    return { eventId, webhookUids: ofEvent.map(({ webhookUid }) => webhookUid) };
  });
  if (redelivery.state === 'running') {
    return { events, after: redelivery.reached ?? after, isLast: false };
  }
  return { events, after: eventIds.at(-1) ?? after, isLast: true };
}

async function takeRedeliveryPage(
  ports: PagePorts,
  redelivery: RedeliveryDocument,
  { after, now }: { after: string; now: Date },
): Promise<RedeliverPage | null> {
  const { kind, _id: uid, appUid } = redelivery;
  if (kind === 'resend') return takeResend(ports.store, redelivery, { after, now });
  if (kind === 'replay') return takeReplayPage(ports, redelivery, { after, now });
  const pages = redelivery.webhookUids.map((webhookUid) =>
    discardPage(ports, { appUid, webhookUid, uid }),
  );
  return { events: [], after, isLast: (await Promise.all(pages)).every((isLast) => isLast) };
}

async function takeHeldPage(
  ports: PagePorts,
  { appUid, after }: RedeliverInput,
  { webhookUid, releaseUid = null }: Extract<RedeliverInput['source'], { kind: 'held' }>,
): Promise<RedeliverPage> {
  const { store, clock } = ports;
  const place = { appUid, webhookUid, releaseUid, after, countMax: releasedPerSecondDefault };
  const latest = { _id: webhookUid, appUid, active: true, releaseUid };
  const webhook = await store.webhooks.findOne(latest, { projection: { discardUid: 1 } });
  // After the webhook: what was taken while the release was its latest is seen.
  let held = await findTaken(store, place);
  // A page that was taken before a crash is given again, whatever has become of the webhook since:
  // nobody else carries it. Further pages are those of the latest release of an active webhook.
  if (held.length === 0) {
    if (webhook === null) return nothingAfter(after);
    if (!(await isDropped(ports, { appUid, discardUid: webhook.discardUid }))) {
      return { events: [], after, isLast: false };
    }
    // More may be held while this page is read, so only an empty one is the last.
    if ((await takeHeld(store, place, clock.now())) === 0) return nothingAfter(after);
    held = await findTaken(store, place);
  }
  return {
    events: held.map(({ eventId }) => ({ eventId, webhookUids: [webhookUid] })),
    after: held.at(-1)?.uid ?? after,
    isLast: false,
  };
}

/**
 * Tells whether all is dropped that an earlier resume was to drop. If not, a page more is: a release
 * sends none of it, and waits for no other workflow, which may have been ended by hand.
 */
async function isDropped(
  ports: PagePorts,
  { appUid, discardUid }: Pick<WebhookDocument, 'appUid' | 'discardUid'>,
): Promise<boolean> {
  if (discardUid === null) return true;
  const source = { kind: 'redelivery', redeliveryUid: discardUid } as const;
  const page = await takePage(ports, { appUid, source, after: '', released: 0 });
  return page.isLast;
}

async function takeResend(
  store: Store,
  resend: ResendDocument,
  place: { after: string; now: Date },
): Promise<RedeliverPage | null> {
  const { appUid, eventId, webhookUids } = resend;
  const event = await store.events.findOne({ _id: eventId, appUid });
  if (event === null) return { events: [], after: eventId, isLast: true };
  // What a webhook got that was deleted since the resend was asked for stays as it is.
  const known = await findKnownWebhooks(store, { appUid, webhookUids });
  const knownUids = known.map((webhook) => webhook._id);
  const keys = knownUids.map((webhookUid) => ({ appUid, eventId, webhookUid, event: event.event }));
  if (!(await takeOver(store, resend, { ...place, keys }))) return null;
  const events = knownUids.length === 0 ? [] : [{ eventId, webhookUids: knownUids }];
  return { events, after: eventId, isLast: true };
}

/**
 * Hands the deliveries of a page to their redelivery. Gives false, and takes none, when it has ended or gone
 * on since it was read.
 */
async function takeOver(
  store: Store,
  redelivery: ResendDocument | ReplayDocument,
  page: { keys: (DeliveryKey & Pick<EventDocument, 'event'>)[]; after: string; now: Date },
): Promise<boolean> {
  const { _id: redeliveryUid, kind: requeuedAs } = redelivery;
  const { keys, after, now } = page;
  if (keys.length === 0) return true;
  return inTransaction(store, async (session) => {
    if (!(await beginPage(store, redelivery, { after, session }))) return false;
    await requeueDeliveries(store, keys, { redeliveryUid, requeuedAs, now, session });
    return true;
  });
}

async function takeReplayPage(
  { store, wakeLane }: PagePorts,
  replay: ReplayDocument,
  { after, now }: { after: string; now: Date },
): Promise<RedeliverPage | null> {
  const { appUid, webhookUid, perSecond } = replay;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid });
  if (webhook === null) return { events: [], after, isLast: true };
  const before = mayLookUntil(replay, now);
  const looked = await lookAtEvents(store, { replay, webhook, after, before });
  const chosen = looked.chosen.slice(0, perSecond);
  const keys = chosen.map(({ _id: eventId, event }) => ({ appUid, eventId, webhookUid, event }));
  if (!(await takeOver(store, replay, { keys, after, now }))) return null;
  // A lane would go on waiting for the retry of what it has no more.
  await Promise.all(
    chosen.map(async ({ _id, lane }) => lane !== null && wakeLane({ lane, letGo: _id })),
  );
  const wasCut = chosen.length < looked.chosen.length;
  return {
    events: chosen.map(({ _id: eventId }) => ({ eventId, webhookUids: [webhookUid] })),
    after: wasCut ? (chosen.at(-1)?._id ?? after) : looked.last,
    isLast: !wasCut && looked.isEnd,
  };
}
