import { expect, test } from 'vitest';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { explainRecipient } from '../../../lib/webhooks/explain-recipient.ts';
import { filterCheck, isSubscribed, unmetCondition } from '../../../lib/webhooks/subscriptions.ts';
import { newWebhook } from '../../support/fixtures.ts';

const createdAt = new Date();
const at = (offsetMs: number): Date => new Date(createdAt.getTime() + offsetMs);
const data = { live: true, tags: ['a'] };
const event = {
  event: 'agent.updated',
  resourceUid: 'agt_1',
  externalTenantId: 'tenant-1',
  erasedAt: null,
  createdAt,
} as const;

function explain(fields: Partial<StoredWebhook>, changes: object = {}, isRecipient = false) {
  const secret = { keyVersion: 1, nonce: '', sealed: '' } as unknown as StoredWebhook['secret'];
  const webhook = newWebhook('app_1', createdAt, { url: 'http://127.0.0.1/', secret, ...fields });
  const unmetOf = unmetCondition(data);
  return explainRecipient(webhook, { ...event, ...changes }, { isRecipient, unmetOf });
}

test('the first setting that keeps an event away is the reason, from the kind to the filter', () => {
  const filter = [{ path: 'live', is: false }];
  const tenants = { externalTenantIds: ['tenant-2'], filter };
  const events = { events: ['agent.created' as const], ...tenants };
  const entities = { entities: ['context' as const], ...events };
  const all = [{ kind: 'operations' as const, ...entities }, entities, events, tenants];
  const reasons = all.map((fields) => explain(fields).outcome);
  expect(reasons).toEqual(['kind', 'entity', 'event', 'tenant']);
  expect(explain({ filter })).toEqual({ outcome: 'filter', condition: filter[0] });
});

test('the first condition that is not met is named, and only that one', () => {
  const filter = [
    { path: 'live', is: true },
    { path: 'tags', is: ['b', 'c'] },
    { path: 'absent', is: null },
  ];
  expect(explain({ filter }).condition).toEqual(filter[1]);
});

test('a webhook is newer than an event from one millisecond on', () => {
  expect(explain({ createdAt: at(1) }).outcome).toBe('created_later');
  expect(explain({ createdAt: at(0) }).outcome).toBe('changed_later');
});

test('an erasure hides what a filter would have said, and nothing else', () => {
  const erased = { erasedAt: at(1) };
  expect(explain({ filter: [{ path: 'live', is: true }] }, erased).outcome).toBe('erased');
  expect(explain({}, erased).outcome).toBe('changed_later');
  expect(explain({ entities: ['context'] }, erased).outcome).toBe('entity');
});

test('who got the event is told nothing else, and a test goes to one webhook', () => {
  expect(explain({ entities: ['context'] }, {}, true).outcome).toBe('delivery');
  expect(explain({}, { event: 'webhook.test' }).outcome).toBe('test');
});

test('recording and explaining agree', () => {
  const filters = [null, [{ path: 'live', is: true }], [{ path: 'live', is: false }]];
  const tenants = [null, ['tenant-1'], ['tenant-2']];
  for (const filter of filters) {
    for (const externalTenantIds of tenants) {
      const secret = {} as StoredWebhook['secret'];
      const webhook = newWebhook('app_1', createdAt, {
        url: 'http://127.0.0.1/',
        secret,
        filter,
        externalTenantIds,
      });
      const gets = isSubscribed(webhook, event) && filterCheck(data)(filter);
      const outcome = explain({ filter, externalTenantIds }).outcome;
      expect(outcome === 'changed_later').toBe(gets);
    }
  }
});
