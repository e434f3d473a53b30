// The decision about a requested attempt.
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import {
  type AttemptFacts,
  type Decision,
  decide,
  isFinal,
} from '../../../lib/deliveries/decide.ts';
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
} satisfies Record<string, AttemptCaller>;

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

const activities = { active: { active: true }, paused: { active: false } };
// Only the counts decide; the times come from clocks that differ.
const discards = {
  none: { discardCount: 0, discardBefore: null },
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

/** The decision, or the reason of the cancellation. */
type Verdict = ReturnType<typeof verdictOf>;

function verdictOf(given: Case) {
  const decision = decide(factsOf(given));
  if (decision.kind === 'leave') {
    const { ending } = decision;
    if (ending.state !== 'later') return 'notSendable';
    return ending.why === 'inFlightElsewhere' ? ending.why : 'notDue';
  }
  if (decision.kind !== 'record') return decision.kind;
  const { unsent } = decision;
  return unsent.state === 'cancelled' ? unsent.cancelReason : unsent.state;
}

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
  pending: (given) => maySend(given) && isInOrder(given),
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

const facts = { caller: { kind: 'event' }, processUid: 'prc_1', now } as const;

test.each<[string, Partial<DeliveryDocument> | null]>([
  ['an event', null],
  ['a resend', { requeuedAs: 'resend', requeuedAt: now }],
])('%s without a count has seen no discard, and the first one drops it', (_what, fields) => {
  const event = newEvent({ app }, ['whk_1'], now);
  const found = { eventId: event._id, webhookUid: 'whk_1', ...fields };
  const delivery = fields && newDelivery({ app }, now, found);
  const decisionAt = (discardCount: number) =>
    decide({ ...facts, event, delivery, webhook: { ...aWebhook, discardCount } });
  const dropped = { kind: 'record', unsent: { state: 'cancelled', cancelReason: 'discarded' } };
  expect([0, 1].map(decisionAt)).toEqual([{ kind: 'send' }, dropped]);
});

test.each<[Decision, boolean]>([
  [{ kind: 'remove' }, true],
  [{ kind: 'leave', ending: { state: 'delivered' } }, true],
  [{ kind: 'leave', ending: { state: 'held' } }, true],
  [{ kind: 'leave', ending: { state: 'continued', continuesIn: null } }, true],
  [{ kind: 'record', unsent: { state: 'cancelled', cancelReason: 'webhook_deleted' } }, true],
  [{ kind: 'send' }, false],
  [{ kind: 'leave', ending: { state: 'later', why: 'retry', at: now.toISOString() } }, false],
  // A release sends it, possibly one that the retention starts.
  [{ kind: 'record', unsent: { state: 'held' } }, false],
  [{ kind: 'record', unsent: { state: 'pending' } }, false],
])('a decision that ends a delivery without an attempt is final: %j, %j', (decision, expected) => {
  expect(isFinal(decision)).toBe(expected);
});
