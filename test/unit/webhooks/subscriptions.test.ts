// The events that a webhook gets by its filter, the reason why it gets one or not, and webhooks that overlap.
import * as fc from 'fast-check';
import type {
  FilterCondition,
  WebhookDocument,
  StoredWebhook,
} from '../../../lib/model/webhook.ts';
import { filterCheck, unmetCondition } from '../../../lib/webhooks/subscriptions.ts';
import { mayOverlap } from '../../../lib/webhooks/overlap.ts';
import { newWebhook } from '../../support/fixtures.ts';
import { explainRecipient } from '../../../lib/webhooks/explain-recipient.ts';

const data = {
  uid: 'agt_1',
  externalTenantId: 'tenant-1',
  live: true,
  version: 3,
  note: null,
  tags: ['a', 'b', 7],
  owner: { team: { name: 'core' }, 'a.b': 'x' },
  rows: [{ name: 'core' }],
};

type Is = FilterCondition['is'];

test.each<[path: string, is: Is, matches: boolean]>([
  ['uid', 'agt_1', true],
  ['uid', 'AGT_1', false],
  ['uid', ['agt_2', 'agt_1'], true],
  ['uid', ['agt_2'], false],
  ['live', true, true],
  ['live', 'true', false],
  ['version', 3, true],
  ['note', null, true],
  ['note', [1, null], true],
  // An absent field has no value, not even null.
  ['absent', null, false],
  ['owner.team.name', 'core', true],
  ['owner.team', 'core', false],
  ['owner.team.name.length', 4, false],
  // An element of a list, but nothing inside it.
  ['tags', 'b', true],
  ['tags', ['x', 7], true],
  ['tags.0', 'a', false],
  ['rows.name', 'core', false],
  // Names contain no dots.
  ['owner.a.b', 'x', false],
  // Only own fields.
  ['constructor.name', 'Object', false],
  ['__proto__', null, false],
])('%s is %j: %s', (path, is, matches) => {
  expect(filterCheck(data)([{ path, is }])).toBe(matches);
});

test('an inherited field counts as absent', () => {
  const inherited: object = Object.create({ live: true }) as object;
  expect(filterCheck(inherited)([{ path: 'live', is: true }])).toBe(false);
});

test('all conditions must match, and no filter matches all', () => {
  const live = { path: 'live', is: true };
  const old = { path: 'version', is: 2 };
  expect(filterCheck(data)([live, { path: 'version', is: [2, 3] }])).toBe(true);
  expect(filterCheck(data)([live, old])).toBe(false);
  expect(filterCheck(data)(null)).toBe(true);
});

test('a filter on the value of any field matches before and after serialising to JSON', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const name = fc
    .string({ minLength: 1 })
    .filter((text) => !text.includes('.') && text !== '__proto__');
  fc.assert(
    fc.property(fc.tuple(name, name), value, value, ([outer, inner], is, other) => {
      const nested = { [outer]: { [inner]: is } };
      const filter = [{ path: `${outer}.${inner}`, is }];
      expect(filterCheck(nested)(filter)).toBe(true);
      expect(filterCheck(JSON.parse(JSON.stringify(nested)))(filter)).toBe(true);
      const changed = { [outer]: { [inner]: other } };
      expect(filterCheck(changed)(filter)).toBe(other === is);
    }),
  );
});

test('a list is read once, however many filters use it', () => {
  let readings = 0;
  const counted = (items: readonly string[]): readonly string[] =>
    new Proxy(items, {
      get(target, name) {
        if (name === '0') readings += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
  const tags = Array.from({ length: 10_000 }, (_, n) => `tag-${n}`);
  const matches = filterCheck({ tags: counted(tags) });
  for (let n = 0; n < 100; n += 1) {
    expect(matches([{ path: 'tags', is: [`other-${n}`, 'tag-9999'] }])).toBe(true);
    expect(matches([{ path: 'tags', is: `other-${n}` }])).toBe(false);
  }
  expect(readings).toBe(1);
});

const filter = (is: Is): { filter: FilterCondition[] } => ({ filter: [{ path: 'status', is }] });

test.each<[Partial<WebhookDocument>, Partial<WebhookDocument>, boolean]>([
  [{}, {}, true],
  [{ entities: ['agent'] }, { entities: ['context'] }, false],
  [{ events: ['agent.created'] }, { events: ['agent.updated'] }, false],
  [{ events: ['agent.created'] }, { entities: ['context'] }, false],
  [{ events: ['agent.created'] }, {}, true],
  [{ externalTenantIds: ['a', 'b'] }, { externalTenantIds: ['b', 'c'] }, true],
  [{ externalTenantIds: ['a'] }, { externalTenantIds: ['c'] }, false],
  [filter('a'), filter(['b', 'a']), true],
  [filter('a'), filter('b'), false],
])('webhooks with %j and %j may get the same event: %s', (left, right, same) => {
  const secret = { keyId: 'key-1', sealed: '' };
  const webhooks = [left, right].map((fields) =>
    newWebhook('app_1', new Date(), {
      url: 'https://example.com',
      secret,
      ...fields,
    }),
  );
  const [one, two] = webhooks as [(typeof webhooks)[number], (typeof webhooks)[number]];
  expect(mayOverlap(one, two)).toBe(same);
  expect(mayOverlap(two, one)).toBe(same);
});

const createdAt = new Date();
const at = (offsetMs: number): Date => new Date(createdAt.getTime() + offsetMs);
const eventData = { live: true, tags: ['a'] };
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
  const unmetOf = unmetCondition(eventData);
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
