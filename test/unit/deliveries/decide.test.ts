// The decision about a requested attempt: a row for each rule, then every combination of facts.
import { expect, test } from 'vitest';
import type { Caller } from '../../../lib/model/caller.ts';
import { type AttemptFacts, decide } from '../../../lib/deliveries/decide.ts';
import { deliveryStates } from '../../../lib/model/delivery-state.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventToAttempt } from '../../../lib/model/event.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { newDelivery, newEvent, newWebhook } from '../../support/fixtures.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);
const recordedAt = after(-60_000);
const app = { appUid: 'app_1' };
const secret = { keyId: 'key-1', sealed: '' };
const uncounted = newEvent({ app }, ['whk_1'], recordedAt);
const anEvent = { ...uncounted, seenDiscards: [{ webhookUid: 'whk_1', count: 1 }] };
const aDelivery = newDelivery({ app }, recordedAt, { eventId: anEvent._id, webhookUid: 'whk_1' });
const url = 'https://example.com';
const aWebhook = newWebhook(app.appUid, recordedAt, { _id: 'whk_1', url, secret });

const askers = {
  'the event': { kind: 'event' },
  'its job': { kind: 'job', jobUid: 'job_1' },
  'another job': { kind: 'job', jobUid: 'job_2' },
  'the partition': { kind: 'partition' },
} satisfies Record<string, Caller>;

const owners = {
  'the event': {},
  'its job': { jobUid: 'job_1', jobPage: 1 },
  'the partition': { partition: 'whk_1/agent/agt_1' },
  'its job, in a partition': { jobUid: 'job_1', jobPage: 1, partition: 'whk_1/agent/agt_1' },
} satisfies Record<string, Partial<DeliveryDocument>>;

const dues = {
  'without a time': { nextAttemptAt: null },
  'due long ago': { nextAttemptAt: after(-60_000) },
  'due now': { nextAttemptAt: now },
  'due later': { nextAttemptAt: after(1) },
} satisfies Record<string, Partial<DeliveryDocument>>;

const requests = {
  'not sent again': {},
  'resent before the discard': { requeuedAs: 'resend', requeuedAt: now, discardCount: 1 },
  'resent after it': { requeuedAs: 'resend', requeuedAt: now, discardCount: 2 },
  'replayed before the discard': { requeuedAs: 'replay', requeuedAt: now, discardCount: 1 },
  'replayed after it': { requeuedAs: 'replay', requeuedAt: now, discardCount: 2 },
} satisfies Record<string, Partial<DeliveryDocument>>;

const events = {
  there: anEvent,
  'a test': { ...anEvent, event: 'webhook.test', entity: 'webhook', sequence: null },
  'in order': { ...anEvent, order: [{ webhookUid: 'whk_1', n: 1 }] },
  erased: { ...anEvent, body: '', erasedAt: after(-1) },
  gone: null,
  'claimed by another process': { ...anEvent, firstAttempt: { by: 'prc_2', until: after(1) } },
  'claimed until now': { ...anEvent, firstAttempt: { by: 'prc_2', until: now } },
  'claimed by this process': { ...anEvent, firstAttempt: { by: 'prc_1', until: after(1) } },
} satisfies Record<string, EventToAttempt | null>;

const claimedElsewhere = { event: 'claimed by another process' } as const;

const activities = { active: { active: true }, paused: { active: false } };
// Only the counts decide; the times come from clocks that differ.
const discards = {
  none: { discardBefore: null },
  'a discard before the event': { discardCount: 1, discardBefore: now },
  'a discard after the event': { discardCount: 2, discardBefore: after(-90_000) },
} satisfies Record<string, Partial<WebhookDocument>>;
const subscriptions = {
  subscribed: {},
  'of other entities': { entities: ['context'] },
  'of other events': { events: ['agent.created'] },
  'of other tenants': { externalTenantIds: ['tenant-2'] },
} satisfies Record<string, Partial<WebhookDocument>>;

interface DeliveryCase {
  state: DeliveryDocument['state'];
  owner: keyof typeof owners;
  due: keyof typeof dues;
  again: keyof typeof requests;
}

interface WebhookCase {
  activity: keyof typeof activities;
  discard: keyof typeof discards;
  subscription: keyof typeof subscriptions;
}

interface Case {
  caller: keyof typeof askers;
  delivery: DeliveryCase | null;
  event: keyof typeof events;
  webhook: WebhookCase | null;
}

function factsOf({ caller, delivery, event, webhook }: Case): AttemptFacts {
  return {
    caller: askers[caller],
    delivery: delivery && {
      ...aDelivery,
      state: delivery.state,
      ...owners[delivery.owner],
      ...dues[delivery.due],
      ...requests[delivery.again],
    },
    event: events[event],
    webhook: webhook && {
      ...aWebhook,
      ...activities[webhook.activity],
      ...discards[webhook.discard],
      ...subscriptions[webhook.subscription],
    },
    now,
    processUid: 'prc_1',
  };
}

const pending: DeliveryCase = {
  state: 'pending',
  owner: 'the event',
  due: 'without a time',
  again: 'not sent again',
};
const active: WebhookCase = { activity: 'active', discard: 'none', subscription: 'subscribed' };
const first: Case = { caller: 'the event', delivery: null, event: 'there', webhook: active };
const of = (fields: Partial<DeliveryCase>) => ({ delivery: { ...pending, ...fields } });
const to = (fields: Partial<WebhookCase>) => ({ webhook: { ...active, ...fields } });
const dropped = to({ discard: 'a discard after the event' });
const paused = to({ activity: 'paused' });

/** The decision, or the reason of the cancellation. */
type Verdict = ReturnType<typeof verdictOf>;

function verdictOf(given: Case) {
  const decision = decide(factsOf(given));
  if (typeof decision === 'string') return decision;
  return decision.state === 'held' ? 'held' : decision.cancelReason;
}

test.each<[string, Verdict, Partial<Case>]>([
  ['a first attempt is made', 'send', {}],
  ['a delivery left pending by its first attempt is sent', 'send', of({})],
  ['a retry that is due is made', 'send', of({ state: 'retrying', due: 'due long ago' })],
  ['a retry that is just due is made', 'send', of({ state: 'retrying', due: 'due now' })],
  ['a retry is not made early', 'notDue', of({ state: 'retrying', due: 'due later' })],

  ['a first attempt is left to the recording process', 'inFlightElsewhere', claimedElsewhere],
  ['but not after the end of the claim', 'send', { event: 'claimed until now' }],
  ['a process does not wait for itself', 'send', { event: 'claimed by this process' }],
  ['nor does a partition', 'send', { caller: 'the partition', ...claimedElsewhere }],
  [
    'the claim does not matter once the delivery is recorded',
    'send',
    { event: 'claimed by another process', ...of({}) },
  ],

  ['a job sends its own delivery', 'send', { caller: 'its job', ...of({ owner: 'its job' }) }],
  ['an event does not send a delivery of a job', 'notSendable', of({ owner: 'its job' })],
  [
    'a job does not send a delivery of another job',
    'notSendable',
    { caller: 'another job', ...of({ owner: 'its job' }) },
  ],
  ['a job does not send a delivery of no job', 'notSendable', { caller: 'its job', ...of({}) }],
  [
    'a partition sends its own delivery',
    'send',
    { caller: 'the partition', ...of({ owner: 'the partition' }) },
  ],
  ['an event leaves its retries to the partition', 'notSendable', of({ owner: 'the partition' })],
  [
    'a partition waits for a job',
    'notSendable',
    { caller: 'the partition', ...of({ owner: 'its job, in a partition' }) },
  ],
  ['a partition may make a first attempt', 'send', { caller: 'the partition' }],
  ['and only the partition may', 'inOrder', { event: 'in order' }],
  [
    'a partition is never early',
    'notDue',
    { caller: 'the partition', ...of({ owner: 'the partition', due: 'due later' }) },
  ],

  ['a delivered delivery is not sent again', 'notSendable', of({ state: 'delivered' })],
  ['a held delivery waits for a release', 'notSendable', of({ state: 'held' })],

  ['a delivery of a deleted event is removed', 'remove', { event: 'gone' }],
  ['a delivery of an erased event is cancelled', 'erased', { event: 'erased' }],
  ['a delivery to a deleted webhook is cancelled', 'webhook_deleted', { webhook: null }],

  ['a delivery to a paused webhook is held', 'held', paused],
  [
    'a resend of a test event to a paused webhook is held, too',
    'held',
    { event: 'a test', ...of({ again: 'resent after it' }), ...paused },
  ],
  [
    'a pause also holds events that the webhook no longer subscribes to',
    'held',
    to({ activity: 'paused', subscription: 'of other events' }),
  ],

  ['a discard drops events recorded before it', 'discarded', dropped],
  [
    'a discard keeps events recorded after it',
    'send',
    to({ discard: 'a discard before the event' }),
  ],
  [
    'a discard keeps resends and replays requested after it',
    'send',
    { ...of({ again: 'replayed after it' }), ...dropped },
  ],
  [
    'a discard drops resends and replays requested before it',
    'discarded',
    { ...of({ again: 'resent before the discard' }), ...dropped },
  ],
  [
    'a discard also drops events during a later pause',
    'discarded',
    to({ activity: 'paused', discard: 'a discard after the event' }),
  ],

  [
    'an event that the webhook no longer subscribes to is cancelled',
    'unsubscribed',
    to({ subscription: 'of other entities' }),
  ],
  [
    'a replay that the webhook no longer subscribes to is cancelled, too',
    'unsubscribed',
    { ...of({ again: 'replayed after it' }), ...to({ subscription: 'of other tenants' }) },
  ],
  [
    'a resend is sent despite the subscription',
    'send',
    { ...of({ again: 'resent after it' }), ...to({ subscription: 'of other events' }) },
  ],
  [
    'a test event is sent despite the subscription',
    'send',
    { event: 'a test', ...to({ subscription: 'of other entities' }) },
  ],
])('%s: %s', (_rule, decision, fields) => {
  expect(verdictOf({ ...first, ...fields })).toBe(decision);
});

/** An independent rule for each decision: in every case exactly one applies. */
const isRight: Record<Verdict, (given: Case) => boolean> = {
  notSendable: (given) => !mayAct(given),
  notDue: (given) => mayAct(given) && given.delivery?.due === 'due later',
  inFlightElsewhere: (given) => mayAct(given) && isClaimed(given),
  remove: (given) => isDue(given) && given.event === 'gone',
  erased: (given) => isDue(given) && given.event === 'erased',
  webhook_deleted: (given) => isDue(given) && isLost(given) && !/gone|erased/.test(given.event),
  discarded: (given) => isDue(given) && !isLost(given) && isDropped(given),
  unsubscribed: (given) => isDue(given) && !isLost(given) && !isDropped(given) && isUnwanted(given),
  held: (given) =>
    isDue(given) && !isLost(given) && !isDropped(given) && given.webhook?.activity === 'paused',
  inOrder: (given) => maySend(given) && isInOrder(given),
  send: (given) => maySend(given) && !isInOrder(given),
};

const isInOrder = ({ caller, event }: Case) => caller === 'the event' && event === 'in order';
const isTaken = (given: Case) => !isLost(given) && !isDropped(given) && !isUnwanted(given);
const maySend = (given: Case) =>
  isDue(given) && isTaken(given) && given.webhook?.activity === 'active';

/** The callers that may attempt an open delivery, by its owner. */
const actors: Record<DeliveryCase['owner'], Case['caller'][]> = {
  'the event': ['the event', 'the partition'],
  'its job': ['its job'],
  'the partition': ['the partition'],
  'its job, in a partition': ['its job'],
};

function mayAct({ caller, delivery }: Case): boolean {
  if (delivery === null) return true;
  return (
    ['pending', 'retrying'].includes(delivery.state) && actors[delivery.owner].includes(caller)
  );
}

const isClaimed = ({ caller, delivery, event, webhook }: Case): boolean =>
  delivery === null &&
  webhook !== null &&
  caller !== 'the partition' &&
  event === 'claimed by another process';

const isDue = (given: Case): boolean =>
  mayAct(given) && given.delivery?.due !== 'due later' && !isClaimed(given);

const isLost = ({ event, webhook }: Case): boolean =>
  webhook === null || event === 'gone' || event === 'erased';

const isDropped = ({ delivery, webhook }: Case): boolean =>
  webhook?.discard === 'a discard after the event' &&
  !(delivery?.again.endsWith('after it') ?? false);

const isUnwanted = ({ event, delivery, webhook }: Case): boolean =>
  webhook?.activity === 'active' &&
  webhook.subscription !== 'subscribed' &&
  event !== 'a test' &&
  !(delivery?.again.startsWith('resent') ?? false);

const namesOf = <Name extends string>(named: Record<Name, unknown>): Name[] =>
  Object.keys(named) as Name[];

const allDeliveries = (): (DeliveryCase | null)[] => [
  null,
  ...deliveryStates.flatMap((state) =>
    namesOf(owners).flatMap((owner) =>
      namesOf(dues).flatMap((due) =>
        namesOf(requests).map((again) => ({ state, owner, due, again })),
      ),
    ),
  ),
];

const allWebhooks = (): (WebhookCase | null)[] => [
  null,
  ...namesOf(activities).flatMap((activity) =>
    namesOf(discards).flatMap((discard) =>
      namesOf(subscriptions).map((subscription) => ({ activity, discard, subscription })),
    ),
  ),
];

function* allCases(): Generator<Case> {
  const [deliveries, webhooks] = [allDeliveries(), allWebhooks()];
  for (const caller of namesOf(askers))
    for (const delivery of deliveries)
      for (const event of namesOf(events))
        for (const webhook of webhooks) yield { caller, delivery, event, webhook };
}

test('every combination of facts leads to the decision of exactly one rule', () => {
  const [wrong, made] = [[] as unknown[], new Set<Verdict>()];
  for (const given of allCases()) {
    const right = namesOf(isRight).filter((decision) => isRight[decision](given));
    const decision = verdictOf(given);
    made.add(decision);
    if (right.length !== 1 || right[0] !== decision) wrong.push({ given, right, decision });
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect([...made].toSorted()).toEqual(namesOf(isRight).toSorted());
});
