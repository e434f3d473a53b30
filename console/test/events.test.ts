// The pages of events and replays.
import { missedReason } from '../src/pages/events/missed-reason.ts';
import { hasFailed } from '../src/pages/deliveries/resend-choice.ts';
import { progressOf } from '../src/pages/replays/replay-progress.ts';
import {
  allChoices,
  bodyOf,
  countsByState,
  durationOf,
  failedChoices,
  isPossible,
  type Wish,
  wishFault,
} from '../src/pages/replays/replay-wish.ts';

const event = { event: 'agent.updated', externalTenantId: 'tenant\u202E1' } as const;

test('a condition shows its path and its values, cut when they are long', () => {
  const filter = (condition: Record<string, string | string[]>) =>
    missedReason({ outcome: 'filter', condition }, event);
  expect(filter({ 'a.b': ['x', 'y'] })).toMatch(/: a\.b is "x" or "y"\.$/);
  expect(filter({ a: 'x'.repeat(198) })).toMatch(/x"\.$/);
  expect(filter({ a: 'x'.repeat(199) })).toMatch(/x…\.$/);
});

test('a text from a stranger is shown with its hidden characters', () => {
  expect(missedReason({ outcome: 'tenant', condition: null }, event)).toContain('⟨202E⟩');
  const condition = { 'a\u202Eb': 'c\u202Ed' };
  expect(missedReason({ outcome: 'filter', condition }, event)).not.toContain('\u202E');
});

test('a webhook with a delivery has no reason', () => {
  expect(missedReason({ outcome: 'delivery', condition: null }, event)).toBeNull();
});

const now = new Date('2026-11-23T12:00:00.000Z');
const everyEnd = [
  ...(['pending', 'retrying', 'held', 'delivered', 'exhausted', 'blocked'] as const).map(
    (state) => ({ state, cancelReason: null }),
  ),
  ...(
    ['expired', 'abandoned', 'discarded', 'unsubscribed', 'webhook_deleted', 'erased'] as const
  ).map((cancelReason) => ({ state: 'cancelled' as const, cancelReason })),
];
const wish: Wish = {
  range: 'hour',
  since: '',
  until: '',
  webhookUid: '',
  events: [],
  externalTenantId: ' ',
  kinds: 'own',
  choices: ['exhausted'],
  perSecond: 20,
};

test('a range ends at the time of the count, so that what was counted is sent', () => {
  const until = now.toISOString();
  const body = { perSecond: 20, states: ['exhausted'] };
  expect(bodyOf(wish, now)).toEqual({ ...body, since: '2026-11-23T11:00:00.000Z', until });
  const day = bodyOf({ ...wish, range: 'day' }, now);
  expect(day).toMatchObject({ since: '2026-11-22T12:00:00.000Z', until });
  const own = { ...wish, range: 'own', since: '2026-11-01T00:00:00.000Z' } as const;
  expect(bodyOf(own, now)).toMatchObject({ since: own.since, until });
});

test('states that need a single webhook are left out for the application', () => {
  const choices = ['exhausted', 'delivered', 'never_attempted'] as const;
  expect(bodyOf({ ...wish, choices }, now).states).toEqual(['exhausted']);
  expect(bodyOf({ ...wish, choices, webhookUid: 'whk_1' }, now).states).toEqual(choices);
  const everything = bodyOf({ ...wish, kinds: 'all', webhookUid: 'whk_1' }, now);
  expect(everything.states).toHaveLength(8);
  const possible = allChoices.filter((choice) => isPossible(choice, ''));
  expect(allChoices.length - possible.length).toBe(2);
});

test.each<[Wish['choices'], Partial<ReturnType<typeof bodyOf>>]>([
  [
    failedChoices,
    {
      states: ['exhausted', 'blocked', 'cancelled'],
      cancelReasons: ['expired', 'abandoned'],
    },
  ],
  [['discarded'], { states: ['cancelled'], cancelReasons: ['discarded'] }],
  [
    ['unsubscribed', 'cancelled'],
    { states: ['cancelled'], cancelReasons: ['expired', 'abandoned', 'unsubscribed'] },
  ],
])('the choice of %j sends %j: deliveries cancelled on purpose must be named', (...row) => {
  const [choices, expected] = row;
  expect(bodyOf({ ...wish, choices }, now)).toMatchObject(expected);
});

test('a form without cancelled deliveries names no reasons', () => {
  expect(bodyOf(wish, now)).not.toHaveProperty('cancelReasons');
});

test('the form starts with the deliveries that "Select failed" selects in a list', () => {
  const { states, cancelReasons = [] } = bodyOf({ ...wish, kinds: 'failed' }, now);
  const isSent = ({ state, cancelReason }: (typeof everyEnd)[number]): boolean =>
    (states as readonly string[]).includes(state) &&
    (cancelReason === null || (cancelReasons as readonly string[]).includes(cancelReason));
  expect(everyEnd.filter(hasFailed)).toEqual(everyEnd.filter(isSent));
});

test.each<[Partial<Wish>, string | null]>([
  [{}, null],
  [{ range: 'own' }, 'Choose when the period starts.'],
  [{ range: 'own', since: '2026-11-02T00:00:00Z' }, null],
  [
    { range: 'own', since: '2026-11-02T00:00:00Z', until: '2026-11-02T00:00:00Z' },
    'The end must be after the start.',
  ],
  [{ kinds: 'failed', choices: [] }, null],
  [{ kinds: 'all' }, 'Choose one webhook to send everything to.'],
  [{ kinds: 'all', webhookUid: 'whk_1' }, null],
  [{ choices: [] }, 'Choose at least one kind of delivery.'],
  [{ choices: ['delivered'] }, 'Choose at least one kind of delivery.'],
  [{ choices: ['delivered'], webhookUid: 'whk_1' }, null],
])('the form %j lacks: %s', (fields, fault) => {
  expect(wishFault({ ...wish, ...fields })).toBe(fault);
});

test('a replay takes at least the number of deliveries divided by its rate', () => {
  expect(durationOf(1, 20)).toBe('1 s');
  expect(durationOf(9_001, 20)).toBe('7 min 31 s');
});

const running = {
  state: 'running',
  since: '2026-11-23T10:00:00Z',
  until: '2026-11-23T12:00:00Z',
  reachedAt: null,
  webhookCount: 2,
  webhooksDone: 0,
} as const;

test.each([
  [{}, 0],
  [{ reachedAt: '2026-11-23T11:00:00Z' }, 25],
  [{ reachedAt: '2026-11-23T09:00:00Z' }, 0],
  [{ webhooksDone: 1, reachedAt: '2026-11-23T11:30:00Z' }, 87],
  [{ webhookCount: 0 }, 0],
  [{ state: 'done' as const, webhooksDone: 2 }, 100],
])('a replay of two webhooks with %j is at %i %%', (fields, percent) => {
  expect(progressOf({ ...running, ...fields })).toBe(percent);
});

test('the counts of a dry run are in words, largest first, and cancelled ones by their reason', () => {
  const counts = countsByState([
    { state: 'never_attempted', cancelReason: null, count: 1 },
    { state: 'cancelled', cancelReason: 'expired', count: 2 },
    { state: 'exhausted', cancelReason: null, count: 1_000 },
  ]);
  expect(counts).toBe('1,000 exhausted, 2 expired, 1 never attempted');
});
