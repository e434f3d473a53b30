// What the form of a replay asks for.
import type { CreateReplayBody, CreateWebhookReplayBody } from '@agent-herald/client';
import { formatDuration } from '../../parts/format-time.ts';

type State = NonNullable<CreateWebhookReplayBody['states']>[number];

export type Range = 'hour' | 'day' | 'own';

export interface Wish {
  range: Range;
  /** Of an own range, as instants; without an end until now. */
  since: string;
  until: string;
  /** Empty for all. */
  webhookUid: string;
  /** Empty for all. */
  events: readonly NonNullable<CreateReplayBody['events']>[number][];
  externalTenantId: string;
  states: readonly State[];
  perSecond: number;
}

interface Choice {
  value: State;
  label: string;
}

const failed: readonly Choice[] = [
  { value: 'exhausted', label: 'exhausted: no attempt is left' },
  { value: 'blocked', label: 'blocked: the address was not allowed' },
];
const cancelled: Choice = {
  value: 'cancelled',
  label: 'cancelled: what a pause held for too long, and what somebody discarded',
};
const open: readonly Choice[] = [
  { value: 'retrying', label: 'retrying: sent now, not at its time' },
  { value: 'pending', label: 'pending: if nothing was done about it for a minute' },
  { value: 'held', label: 'held: by a paused webhook' },
];
const ofOneWebhook: readonly Choice[] = [
  { value: 'delivered', label: 'delivered: the receiver gets it a second time' },
  {
    value: 'never_attempted',
    label: 'never attempted: events that were never sent to the webhook',
  },
];

/** The states that go wrong by themselves; what the form asks for at first. */
export const failedStates: readonly State[] = failed.map(({ value }) => value);

/** Returns the states that can be chosen; two of them only of one webhook. */
export function statesFor(webhookUid: string): readonly Choice[] {
  return [...failed, cancelled, ...open, ...(webhookUid === '' ? [] : ofOneWebhook)];
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

/** Returns the chosen states, without those that only one webhook takes, where it is for all. */
function statesOf({ states, webhookUid }: Wish): State[] {
  const possible = statesFor(webhookUid).map(({ value }) => value);
  return states.filter((state) => possible.includes(state));
}

/** Says what is missing; null for nothing. */
export function wishFault(wish: Wish): string | null {
  const { range, since, until } = wish;
  if (range === 'own' && since === '') return 'Say from when on.';
  if (range === 'own' && until !== '' && Date.parse(until) <= Date.parse(since))
    return 'The end has to be after the beginning.';
  return statesOf(wish).length === 0 ? 'Choose at least one state.' : null;
}

/** Returns the body of the call, whose range ends now at the latest, so that a dry run counts what is sent. */
export function bodyOf(wish: Wish, now: Date): CreateWebhookReplayBody {
  const { events, externalTenantId, perSecond } = wish;
  return {
    ...timesOf(wish, now),
    perSecond,
    states: statesOf(wish),
    ...(events.length === 0 ? {} : { events: [...events] }),
    ...(externalTenantId.trim() === '' ? {} : { externalTenantId: externalTenantId.trim() }),
  };
}

/** Returns how long so many deliveries take at a rate. */
export function durationOf(count: number, perSecond: number): string {
  return formatDuration(Math.max(1, Math.ceil(count / perSecond)) * 1_000);
}
