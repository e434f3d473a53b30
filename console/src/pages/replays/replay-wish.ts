// The values of the replay form.
import type { CreateReplayBody, CreateWebhookReplayBody, ReplayDryRun } from '@agent-herald/client';
import { formatDuration } from '../../parts/format-time.ts';

type State = NonNullable<CreateWebhookReplayBody['states']>[number];
type CancelReason = NonNullable<CreateWebhookReplayBody['cancelReasons']>[number];
/** A state, or a reason of cancelled deliveries that must be named. `cancelled` stands for the lost ones. */
type Choice = State | Exclude<CancelReason, (typeof lostReasons)[number]>;

export type Range = 'hour' | 'day' | 'own';
export type Kinds = 'failed' | 'all' | 'own';

export interface Wish {
  range: Range;
  /** The start of a custom range, as an instant. Without an end, the range ends now. */
  since: string;
  until: string;
  /** Empty means all webhooks. */
  webhookUid: string;
  /** Empty means all events. */
  events: readonly NonNullable<CreateReplayBody['events']>[number][];
  externalTenantId: string;
  kinds: Kinds;
  /** The kinds of deliveries, if they are the viewer's own choice. */
  choices: readonly Choice[];
  perSecond: number;
}

interface DeliveriesToSend {
  states: State[];
  cancelReasons?: CancelReason[];
}

interface Labelled {
  value: Choice;
  label: string;
  /** A replay to all webhooks does not send these. */
  needsWebhook?: true;
}

const lostReasons = ['expired', 'abandoned'] as const;
const failed: readonly Labelled[] = [
  { value: 'exhausted', label: 'exhausted: no attempts are left' },
  { value: 'blocked', label: 'blocked: the address of the receiver is not allowed' },
  { value: 'cancelled', label: 'expired or abandoned: held or queued for too long' },
];
const onPurpose: readonly Labelled[] = [
  { value: 'discarded', label: 'discarded: dropped by whoever resumed the webhook' },
  { value: 'skipped', label: 'skipped: given up one by one' },
  { value: 'unsubscribed', label: 'unsubscribed: the webhook no longer wanted the event' },
];
const open: readonly Labelled[] = [
  { value: 'retrying', label: 'retrying: waiting for the next attempt, which is made now' },
  { value: 'pending', label: 'pending: not attempted for more than a minute' },
  { value: 'held', label: 'held: the webhook is paused' },
];
const ofOneWebhook: readonly Labelled[] = [
  {
    value: 'delivered',
    label: 'delivered: the receiver accepted them, and gets them a second time',
    needsWebhook: true,
  },
  {
    value: 'never_attempted',
    label:
      'never attempted: events that the webhook gets by its present settings, but that were never sent to it',
    needsWebhook: true,
  },
];

/** What replays send by default. */
export const failedChoices: readonly Choice[] = failed.map(({ value }) => value);

export const allChoices: readonly Labelled[] = [...failed, ...onPurpose, ...open, ...ofOneWebhook];

/** Returns the kinds of deliveries to send, including those that need a single webhook. */
function chosenKinds({ kinds, choices }: Wish): readonly Choice[] {
  if (kinds === 'failed') return failedChoices;
  return kinds === 'all' ? allChoices.map(({ value }) => value) : choices;
}

/** Checks whether a replay to the webhook, or to all for an empty uid, can send these deliveries. */
export function isPossible({ needsWebhook }: Labelled, webhookUid: string): boolean {
  return needsWebhook === undefined || webhookUid !== '';
}

const rangeMs: Readonly<Record<Exclude<Range, 'own'>, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
};

function timesOf({ range, since, until }: Wish, now: Date): { since: string; until: string } {
  if (range === 'own') return { since, until: until === '' ? now.toISOString() : until };
  return {
    since: new Date(now.getTime() - rangeMs[range]).toISOString(),
    until: now.toISOString(),
  };
}

function isReason(choice: Choice): choice is Exclude<Choice, State> {
  return onPurpose.some(({ value }) => value === choice);
}

/** Returns the chosen states and reasons. Leaves out the ones for a single webhook if none is chosen. */
function deliveriesOf(wish: Wish): DeliveriesToSend {
  const wanted = chosenKinds(wish);
  const { webhookUid } = wish;
  const chosen = allChoices.flatMap((choice) =>
    wanted.includes(choice.value) && isPossible(choice, webhookUid) ? [choice.value] : [],
  );
  const states = new Set<State>();
  const reasons: CancelReason[] = [];
  for (const choice of chosen) {
    if (choice === 'cancelled') reasons.push(...lostReasons);
    if (!isReason(choice)) states.add(choice);
    else {
      states.add('cancelled');
      reasons.push(choice);
    }
  }
  return {
    states: [...states],
    ...(reasons.length === 0 ? {} : { cancelReasons: reasons }),
  };
}

/** Returns what is missing, or null. */
export function wishFault(wish: Wish): string | null {
  const { range, since, until, kinds, webhookUid } = wish;
  if (range === 'own' && since === '') return 'Choose when the period starts.';
  if (range === 'own' && until !== '' && Date.parse(until) <= Date.parse(since))
    return 'The end must be after the start.';
  if (kinds === 'all' && webhookUid === '') return 'Choose one webhook to send everything to.';
  return deliveriesOf(wish).states.length === 0 ? 'Choose at least one kind of delivery.' : null;
}

/** Returns the body of the call. The period ends now at the latest, so that a dry run finds all that would be sent. */
export function bodyOf(wish: Wish, now: Date): CreateWebhookReplayBody {
  const { events, externalTenantId, perSecond } = wish;
  return {
    ...timesOf(wish, now),
    perSecond,
    ...deliveriesOf(wish),
    ...(events.length === 0 ? {} : { events: [...events] }),
    ...(externalTenantId.trim() === '' ? {} : { externalTenantId: externalTenantId.trim() }),
  };
}

/** Returns the counts of a dry run in words, largest first: "3 exhausted, 1 never attempted". */
export function countsByState(states: ReplayDryRun['states']): string {
  return states
    .toSorted((a, b) => b.count - a.count)
    .map(({ state, cancelReason, count }) => {
      const name = cancelReason ?? state.replace('_', ' ');
      return `${count.toLocaleString('en')} ${name}`;
    })
    .join(', ');
}

/** Returns how long a number of deliveries takes at a rate. */
export function durationOf(count: number, perSecond: number): string {
  return formatDuration(Math.max(1, Math.ceil(count / perSecond)) * 1_000);
}
