import type { EventType, Webhook } from '@agent-herald/client';
import { chosenEvents, groupsOf, subscriptionOf } from '../src/pages/webhooks/event-choices.ts';
import { attemptsOf, positionOf, readWaitMs } from '../src/pages/webhooks/retry-times.ts';
import { signingPhases } from '../src/pages/webhooks/signing-phases.ts';
import { foundBy, textOf } from '../src/pages/webhooks/found-deliveries.ts';
import { adviceFor } from '../src/pages/webhooks/webhook-advice.ts';
import {
  bodyOf,
  changesOf,
  filterFault,
  newValues,
  valuesOf,
} from '../src/pages/webhooks/webhook-values.ts';

const names = [
  ...['agent', 'context', 'contextfile'].flatMap((entity) =>
    ['created', 'updated', 'deleted'].map((kind) => `${entity}.${kind}`),
  ),
  'webhook.failing',
  'contextfile.processing_overdue',
  'user.tokens_revoked',
  'user.token_revoked',
  'webhook.test',
];
const types = names.map(
  (event) => ({ event, description: event, schema: {}, sample: {} }) as EventType,
);

const webhook: Webhook = {
  uid: 'whk_1',
  kind: 'resources',
  name: 'Billing',
  description: null,
  metadata: { team: 'search' },
  url: 'https://hooks.example.com/',
  entities: ['agent'],
  events: null,
  externalTenantIds: null,
  retrySchedule: ['5s', '1h'],
  ordering: 'parallel',
  ratePerSecond: 5,
  ratePerSecondPerTenant: null,
  filter: { live: true },
  signatures: ['v1'],
  cloudEvents: false,
  active: true,
  headers: ['x-team'],
  auth: { type: 'bearer' },
  tls: null,
  disabledReason: null,
  failingSince: null,
  deactivatesAt: null,
  deactivationWarning: null,
  previousSecretExpiresAt: null,
  heldCount: 0,
  warnings: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  lastTriggeredAt: null,
};

describe('the form of a webhook', () => {
  it('changes nothing without an edit', () => {
    expect(changesOf(webhook, valuesOf(webhook, types), types)).toEqual({});
  });

  it('changes only the edited fields, and keeps the secret ones', () => {
    const edits = { name: ' ', ratePerSecond: '' as const, ratePerSecondPerTenant: 5 };
    const values = { ...valuesOf(webhook, types), ...edits, cloudEvents: true };
    const changes = { name: null, ratePerSecond: null, ratePerSecondPerTenant: 5 };
    expect(changesOf(webhook, values, types)).toEqual({ ...changes, cloudEvents: true });
  });

  it('removes headers and authorization only on request', () => {
    const values = valuesOf(webhook, types);
    const edited = { ...values, headers: [], auth: { ...values.auth, type: 'none' as const } };
    expect(changesOf(webhook, edited, types)).toEqual({ headers: null, auth: null });
  });

  it('a new webhook gets all events of resources', () => {
    const body = bodyOf({ ...newValues(types), url: ' https://hooks.example.com/ ' }, types);
    expect(body).toMatchObject({
      url: 'https://hooks.example.com/',
      entities: ['agent', 'context', 'contextfile'],
      events: null,
      headers: null,
    });
  });

  it('an operations webhook has no entities, tenants, filter or order', () => {
    const values = {
      ...newValues(types),
      kind: 'operations' as const,
      events: ['webhook.failing'],
    };
    const body = bodyOf(values as never, types);
    expect(body.events).toEqual(['webhook.failing']);
    for (const field of [
      'entities',
      'externalTenantIds',
      'filter',
      'ordering',
      'ratePerSecondPerTenant',
    ])
      expect(body).not.toHaveProperty(field);
  });

  it.each([
    ['', null],
    ['{"live": true}', null],
    ['{"live": ', /^The filter is not a valid JSON object/],
    ['[]', /write it as in/],
  ])('a filter of %j', (text, fault) => {
    if (fault === null) expect(filterFault(text)).toBeNull();
    else expect(filterFault(text)).toMatch(fault);
  });
});

describe('events', () => {
  it('a test is not an event that webhooks subscribe to', () => {
    const operations = groupsOf('operations', types).flatMap(({ events }) => events);
    expect(operations.map(({ event }) => event)).toEqual([
      'webhook.failing',
      'contextfile.processing_overdue',
      'user.tokens_revoked',
      'user.token_revoked',
    ]);
  });

  it('an operations webhook gets revocations only by name', () => {
    const notices = chosenEvents({ kind: 'operations', entities: [], events: null }, types);
    expect(notices).toEqual(['webhook.failing', 'contextfile.processing_overdue']);
    expect(subscriptionOf('operations', notices, types)).toEqual({ events: null });
    const events = [...notices, 'user.tokens_revoked' as const];
    expect(subscriptionOf('operations', events, types)).toEqual({ events });
    expect(chosenEvents({ kind: 'operations', entities: [], events }, types)).toEqual(events);
    const one = ['user.tokens_revoked' as const];
    expect(subscriptionOf('operations', one, types)).toEqual({ events: one });
  });

  it('all events of an entity are null, which includes future ones; a part of them is listed by name', () => {
    const agents = chosenEvents(webhook, types);
    expect(subscriptionOf('resources', agents, types)).toEqual({
      entities: ['agent'],
      events: null,
    });
    expect(subscriptionOf('resources', agents.slice(1), types)).toEqual({
      entities: ['agent'],
      events: ['agent.updated', 'agent.deleted'],
    });
    expect(subscriptionOf('resources', [], types)).toEqual({ entities: [], events: null });
  });
});

describe('retries', () => {
  it.each([
    ['5s', 5_000],
    [' 2m ', 120_000],
    ['1d', 86_400_000],
    ['5', null],
    ['1w', null],
  ])('the wait %j', (text, ms) => {
    expect(readWaitMs(text)).toBe(ms);
  });

  it('the line starts with the first attempt and ends with the last', () => {
    expect([positionOf(0, 1_000), positionOf(1_000, 1_000), positionOf(0, 0)]).toEqual([0, 1, 0]);
    expect(attemptsOf(['5s', '1h'])?.at(-1)).toEqual({ n: 3, afterMs: 3_605_000 });
    expect(attemptsOf(['5s', 'soon'])).toBeNull();
  });
});

describe('which secret signs which header', () => {
  const until = '2026-01-02T00:00:00.000Z';
  it.each([
    ['without a rotation', null, [['the secret', 'the secret']]],
    [
      'before the promotion',
      { until, isPromoted: false },
      [
        ['the old secret', 'the new and the old secret'],
        ['the new secret', 'the new and the old secret'],
        ['the new secret', 'the new secret'],
      ],
    ],
    [
      'after the promotion',
      { until, isPromoted: true },
      [
        ['the new secret', 'the new and the old secret'],
        ['the new secret', 'the new secret'],
      ],
    ],
  ])('%s', (_rule, rotation, expected) => {
    const phases = signingPhases(rotation);
    expect(phases.map((one) => [one.bodySignature, one.standardSignatures])).toEqual(expected);
    expect(phases.map(({ isNow }) => isNow)).toEqual(phases.map((_, index) => index === 0));
  });
});

describe('advice', () => {
  const failingSince = '2026-01-01T00:00:00.000Z';
  it.each([
    ['a healthy webhook', {}, null],
    ['one that was paused', { active: false }, 'grape'],
    ['one that answered 410', { active: false, disabledReason: 'gone' as const }, 'red'],
    ['one that failed for days', { active: false, disabledReason: 'failing' as const }, 'red'],
    ['one that fails', { failingSince }, 'yellow'],
    ['one that is paused soon', { failingSince, deactivationWarning: 'soon' as const }, 'red'],
  ])('%s', (_rule, fields, color) => {
    expect(adviceFor({ ...webhook, ...fields }, '3 days')?.color ?? null).toBe(color);
  });
});

describe('a recovery', () => {
  const nextAttemptAt = '2026-11-20T12:10:00.000Z';
  const of = (state: 'retrying' | 'held' | 'exhausted', count: number) => {
    return { state, cancelReason: null, count };
  };
  it.each([
    ['nothing', [], 'No deliveries wait, and none were lost.'],
    ['one retry', [of('retrying', 1)], '1 delivery waits, due in 10 min.'],
    ['retries', [of('retrying', 2)], '2 deliveries wait, the next in 10 min.'],
    [
      'held and lost ones',
      [of('exhausted', 1), of('held', 3)],
      '3 deliveries are held. 1 delivery was lost.',
    ],
  ])('a recovery says what it found: %s', (_rule, states, text) => {
    const counts = { count: 0, countIsCapped: false, webhooks: [] };
    const found = { dryRun: true as const, ...counts, states, nextAttemptAt };
    expect(textOf(foundBy(found, Date.parse('2026-11-20T12:00:00Z')))).toBe(text);
  });
});
