// The judge of random webhook commands: each rule finds its violations, and allows the effects of overlapping calls.
import { expect, test } from 'vitest';
import { findBadAnswers } from '../../soak/webhook-commands/answers.ts';
import { findFaults } from '../../soak/webhook-commands/judge.ts';
import {
  type Call,
  type Hook,
  type Model,
  newModel,
  type Receipt,
  type Replay,
  type Report,
  type Setting,
} from '../../soak/webhook-commands/model.ts';
import { findOwed } from '../../soak/webhook-commands/owed.ts';
import type { DeliveryRead, EventRead, Reading } from '../../soak/webhook-commands/reading.ts';

const resource = { event: 'agent.updated', uid: '1', tenant: 'tenant-1' } as const;

const at = (ms: number, status = 200): Call => ({ beganMs: ms, endedMs: ms + 10, status });

function receipt(fields: Partial<Receipt> & { atMs: number }): Receipt {
  const { atMs } = fields;
  const facts = { path: '/1', eventId: 'evt_1', attempt: 1, sequence: 1, body: '{}' };
  return { ...facts, status: 200, answeredMs: atMs + 5, ...fields };
}

/** An ordered webhook and two events about one resource, the second reported at 2,000 ms. */
function newStory(): Story {
  const model = newModel(0);
  const hook: Hook = {
    path: '/1',
    uid: 'whk_1',
    ordering: 'resource',
    registered: at(0, 201),
    deleted: null,
  };
  model.hooks.push(hook);
  model.slots.push(hook);
  const reports = [1_000, 2_000].map((ms, index): Report => {
    return { ...at(ms, 202), resource, eventId: `evt_${index + 1}` };
  });
  model.reports.push(...reports);
  model.receipts.push(
    receipt({ atMs: 1_050 }),
    receipt({ atMs: 2_050, eventId: 'evt_2', sequence: 2 }),
  );
  const events = reports.map(({ eventId }, index): EventRead => {
    return { eventId, sequence: index + 1, webhookUids: ['whk_1'], erasedAt: null };
  });
  const deliveries = events.map(({ eventId }): DeliveryRead => {
    return { eventId, webhookUid: 'whk_1', state: 'delivered', attemptCount: 1, attempts: [] };
  });
  const reading = {
    events: new Map(events.map((event) => [event.eventId, event])),
    deliveries,
    replays: new Map(),
    heldCounts: new Map(),
  };
  return { model, reading, hook };
}

interface Story {
  model: Model;
  reading: Reading;
  hook: Hook;
}

type Change = (story: Story) => void;

const set = (ms: number, fields: Partial<Setting>): Change =>
  function apply({ model, hook }) {
    const asIs = { active: null, discards: false, ordering: null };
    model.settings.push({ ...at(ms), hook, ...asIs, ...fields });
  };

const resent =
  (ms: number, nth = 0): Change =>
  ({ model, hook }) => {
    const [report] = model.reports.slice(nth);
    if (report !== undefined)
      model.resends.push({ ...at(ms, 202), report, hooks: [hook], pausedUids: [] });
  };

const replayed =
  (ms: number, states: string[]): Change =>
  ({ model, hook }) => {
    const facts = { hook, uid: 'rdl_1', sinceMs: 0, states, doneMs: ms + 1_000 };
    model.replays.push({ ...at(ms, 202), ...facts } satisfies Replay);
  };

const got =
  (atMs: number, fields: Partial<Receipt> = {}): Change =>
  ({ model }) =>
    model.receipts.push(receipt({ atMs, ...fields }));

const recordedAs =
  (fields: Partial<DeliveryRead>): Change =>
  ({ reading }) =>
    void Object.assign(reading.deliveries[0] ?? {}, fields);

const first = (fields: Partial<Receipt>): Change =>
  function apply({ model }) {
    Object.assign(model.receipts[0] ?? {}, fields);
  };

const erased =
  (ms: number): Change =>
  ({ model, reading }) => {
    model.erasures.push({ ...at(ms, 202), tenant: 'tenant-1' });
    for (const event of reading.events.values()) event.erasedAt = new Date(ms).toISOString();
  };

const again = { attempt: 2 };
const pause = set(3_000, { active: false });
const discard = set(9_000, { active: true, discards: true });

const faulty: [string, Change[], RegExp][] = [
  ['an event sent twice without a request', [got(3_000, again)], /sent after a 2xx/],
  ['the same attempt made twice', [got(3_000)], /attempt repeated/],
  [
    'an event sent twice after one resend',
    [resent(3_000), got(3_100), got(3_200)],
    /delivered 3 times/,
  ],
  [
    'a replay of failed deliveries that sends a delivered one',
    [replayed(9_000, ['held']), got(9_100)],
    /after a 2xx|repeated/,
  ],
  [
    'an event sent while the webhook is paused',
    [pause, got(6_000, again)],
    /while the webhook was paused/,
  ],
  ['an event sent after a discard', [pause, discard, got(12_000, again)], /after it was discarded/],
  ['a resend from before a discard', [pause, resent(4_000), discard, got(12_000)], /discarded/],
  [
    'an event sent after its erasure',
    [erased(3_000), resent(2_900), got(6_000)],
    /payload was erased/,
  ],
  [
    'an event sent after the deletion of its webhook',
    [({ hook }) => void (hook.deleted = at(3_000, 204)), got(6_000, again)],
    /webhook was deleted/,
  ],
  ['events sent out of order', [first({ atMs: 2_100, answeredMs: 2_110 })], /overtook evt_1/],
  ['two events sent at a time', [first({ answeredMs: 2_060 })], /overtook evt_1/],
  [
    'a delivery cancelled without a cause',
    [recordedAs({ state: 'cancelled' })],
    /cancelled by nothing/,
  ],
  ['a delivery exhausted too early', [recordedAs({ state: 'exhausted' })], /exhausted too early/],
  ['a blocked delivery', [recordedAs({ state: 'blocked' })], /blocked/],
  ['a failure recorded as delivered', [first({ status: 500 })], /no 2xx was given/],
  ['an attempt too many', [recordedAs({ attemptCount: 2 })], /2 attempts recorded/],
  ['an attempt too few', [recordedAs({ attemptCount: 0 })], /attempt not recorded/],
  ['another body', [resent(3_000), got(3_100, { body: '{"a":1}' })], /bodies differ/],
  ['another sequence', [first({ sequence: 3 })], /other sequence sent/],
  [
    'an event without its webhook',
    [({ reading }) => void (reading.events.get('evt_1')?.webhookUids.pop() ?? '')],
    /was not recorded for a webhook/,
  ],
];

test.each(faulty)('the judge finds %s', (_, changes, fault) => {
  const story = newStory();
  expect(findFaults(story.model, story.reading)).toEqual([]);
  for (const change of changes) change(story);
  expect(findFaults(story.model, story.reading).join('\n')).toMatch(fault);
});

const allowed: [string, Change[]][] = [
  ['a resend', [resent(3_000), got(3_100, again)]],
  ['a replay of what was delivered', [replayed(9_000, ['delivered']), got(9_100, again)]],
  ['a request in flight at a pause', [pause, resent(2_900), got(4_000, again)]],
  [
    'a request while pause and resume overlap',
    [pause, set(3_005, { active: true }), resent(2_000), got(6_000)],
  ],
  ['a resend after a discard', [pause, discard, resent(9_500), got(12_000, again)]],
  ['a cancelled delivery after a discard', [pause, discard, recordedAs({ state: 'cancelled' })]],
  ['a resend out of order', [first({ atMs: 2_100, answeredMs: 2_110 }), resent(2_010, 1)]],
  [
    'any order at a webhook that is no longer ordered',
    [set(1_500, { ordering: 'parallel' }), first({ atMs: 2_100, answeredMs: 2_110 })],
  ],
];

test.each(allowed)('the judge allows %s', (_, changes) => {
  const story = newStory();
  for (const change of changes) change(story);
  expect(findFaults(story.model, story.reading)).toEqual([]);
});

const open: [string, Change[], RegExp][] = [
  ['a delivery that is held at an active webhook', [recordedAs({ state: 'held' })], /held/],
  ['a delivery without a record', [({ reading }) => void reading.deliveries.pop()], /without/],
  ['a resend that was not sent', [resent(3_000)], /resend not sent/],
  [
    'an event that is not erased',
    [({ model }) => model.erasures.push({ ...at(3_000, 202), tenant: 'tenant-1' })],
    /not erased/,
  ],
];

test.each(open)('%s is unfinished', (_, changes, owed) => {
  const story = newStory();
  expect(findOwed(story.model, story.reading, 20_000)).toEqual([]);
  for (const change of changes) change(story);
  expect(findOwed(story.model, story.reading, 20_000).join('\n')).toMatch(owed);
});

test('a delivery that a paused webhook holds is not unfinished', () => {
  const story = newStory();
  for (const change of [pause, recordedAs({ state: 'held' })]) change(story);
  expect(findOwed(story.model, story.reading, 20_000)).toEqual([]);
});

test('a discard of a paused webhook must not be refused, one of an active webhook may be', () => {
  const refused = { active: true, discards: true, status: 409 };
  const active = newStory();
  set(9_000, refused)(active);
  expect(findBadAnswers(active.model)).toEqual([]);
  const paused = newStory();
  for (const change of [pause, set(9_000, refused)]) change(paused);
  expect(findBadAnswers(paused.model)).toEqual(['patch: answer 409']);
});

test('the answer to a resend names the paused webhooks', () => {
  const story = newStory();
  for (const change of [pause, resent(9_000)]) change(story);
  expect(findBadAnswers(story.model)).toEqual(['resend of evt_1: wrong about /1 being paused']);
});
