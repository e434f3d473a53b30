// Every combination of the filters of events and deliveries finds the right documents, through an index.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Collection, Document, Filter } from 'mongodb';
import { searchOf as searchDeliveries } from '../../../lib/history/delivery-lists.ts';
import { searchOf as searchEvents } from '../../../lib/events/event-lists.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { entityOf } from '../../../lib/model/event-name.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;
let appUid: string;

const minuteMs = 60_000;
const startMs = Date.parse('2026-01-01T00:00:00Z');
const minute = (n: number): Date => new Date(startMs + n * minuteMs);
const stranger = { app: { appUid: 'app_other' } };

// The results of attempts. Primes, so that the values of each field meet all values of the others.
const ends = [
  { state: 'delivered', statusClass: '2xx', errorClass: null },
  { state: 'delivered', statusClass: '2xx', errorClass: null },
  { state: 'exhausted', statusClass: '5xx', errorClass: 'status' },
  { state: 'exhausted', statusClass: '4xx', errorClass: 'status' },
  { state: 'exhausted', statusClass: 'none', errorClass: 'timeout' },
  { state: 'retrying', statusClass: '5xx', errorClass: 'status' },
  { state: 'retrying', statusClass: 'none', errorClass: 'timeout' },
  { state: 'held', statusClass: 'none', errorClass: 'dns' },
  { state: 'held', statusClass: null, errorClass: null },
  { state: 'pending', statusClass: null, errorClass: null },
  { state: 'blocked', statusClass: 'none', errorClass: 'blocked' },
] as const;
const names = ['agent.created', 'agent.updated', 'contextfile.deleted'] as const;
const tenants = ['tenant-1', 'tenant-2'];
const resources = ['bot-1', 'bot-2', 'bot-3', 'bot-4', 'bot-5'];
const webhooks = ['whk_1', 'whk_2', 'whk_3', 'whk_4', 'whk_5'];
const count = 2 * 3 * 5 * 11;

const pick = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;

const deliveries: DeliveryDocument[] = [];
const events: EventDocument[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  ({ appUid } = installation.app);
  for (let n = 0; n < count; n += 1) {
    const facts = { event: pick(names, n), externalTenantId: pick(tenants, n) };
    const fields = { ...facts, webhookUid: pick(webhooks, n), ...pick(ends, n) };
    deliveries.push(newDelivery(installation, minute(n), fields));
    deliveries.push(newDelivery(stranger, minute(n), fields));
    const resource = { entity: entityOf(facts.event), resourceUid: pick(resources, n) };
    events.push({ ...newEvent(installation, [], minute(n)), ...facts, ...resource });
    events.push({ ...newEvent(stranger, [], minute(n)), ...facts, ...resource });
    events.push({
      ...newEvent(installation, [], minute(n)),
      event: 'webhook.test',
      entity: 'webhook',
    });
  }
  await installation.store.deliveries.insertMany(deliveries);
  await installation.store.events.insertMany(events);
});

afterAll(() => open[Symbol.asyncDispose]());

type Choices = Readonly<Record<string, readonly unknown[]>>;

/** Returns every combination of one choice of each. */
function combine(choices: Choices): Record<string, unknown>[] {
  let made: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(choices)) {
    made = made.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  return made;
}

/** Returns the uids that a list of all documents would contain, newest first. */
function expectedUids(
  documents: readonly { _id: string; createdAt: Date }[],
  { since, until, ...wanted }: Record<string, unknown>,
): string[] {
  const active = Object.entries(wanted).filter(([, value]) => value !== null);
  return documents
    .filter((document) => active.every(([name, value]) => (document as Document)[name] === value))
    .filter(({ createdAt }) => since === null || createdAt >= (since as Date))
    .filter(({ createdAt }) => until === null || createdAt < (until as Date))
    .map(({ _id }) => _id)
    .toSorted()
    .toReversed();
}

interface Search {
  filter: object;
  hint: string;
}

/** Returns what is wrong with the result and the plan of a search. */
async function findFaults(
  collection: Collection<{ _id: string }>,
  search: Search | null,
  expected: readonly string[],
): Promise<string[]> {
  if (search === null) return expected.length === 0 ? [] : ['not searched for'];
  const { filter, hint } = search;
  const cursor = collection
    .find(filter as Filter<{ _id: string }>, { hint, projection: { event: 1 } })
    .sort({ _id: -1 });
  const [found, { executionStats }] = await Promise.all([
    cursor.clone().toArray(),
    cursor.explain('executionStats') as Promise<{ executionStats: Document }>,
  ]);
  const surplus = Number(executionStats['totalDocsExamined']) - expected.length;
  const isFound = found.map(({ _id }) => _id).join() === expected.join();
  return [
    ...(isFound ? [] : [`${hint} found ${found.length} of ${expected.length}`]),
    ...(surplus > 0 ? [`${hint} read ${surplus} more`] : []),
    ...(JSON.stringify(executionStats).match(/"stage":"(?:COLLSCAN|SORT)"/) ?? []),
  ];
}

const since = [null, minute(count / 4)];

test('every combination of the filters of deliveries reads, in order, only matching documents', async () => {
  const combinations = combine({
    webhookUid: [null, 'whk_2'],
    externalTenantId: [null, 'tenant-1'],
    event: [null, 'agent.updated'],
    state: [null, 'delivered', 'exhausted'],
    statusClass: [null, '2xx', '5xx', 'none'],
    errorClass: [null, 'status', 'timeout'],
    since,
    until: [minute(count / 2)],
  });
  const collection = installation.store.deliveries as unknown as Collection<{ _id: string }>;
  const faults: unknown[] = [];
  let found = 0;
  for (const chosen of combinations) {
    const wanted = { appUid, ...chosen } as Parameters<typeof searchDeliveries>[0];
    const expected = expectedUids(deliveries, { ...wanted });
    found += expected.length;
    const wrong = await findFaults(collection, searchDeliveries(wanted), expected);
    if (wrong.length > 0) faults.push({ chosen, wrong });
  }
  expect(faults).toEqual([]);
  expect(found).toBeGreaterThan(combinations.length);
});

test('every combination of the filters of events does so, too', async () => {
  const combinations = combine({
    event: [null, 'agent.updated'],
    entity: [null, 'agent', 'context'],
    resourceUid: [null, 'bot-2'],
    externalTenantId: [null, 'tenant-1'],
    since,
    until: [null, minute(count / 2)],
  });
  const collection = installation.store.events as unknown as Collection<{ _id: string }>;
  const changes = events.filter(({ event }) => event !== 'webhook.test');
  const faults: unknown[] = [];
  for (const chosen of combinations) {
    const wanted = { appUid, ...chosen } as Parameters<typeof searchEvents>[0];
    const expected = expectedUids(changes, { ...wanted });
    const wrong = await findFaults(collection, searchEvents(wanted), expected);
    if (wrong.length > 0) faults.push({ chosen, wrong });
  }
  expect(faults).toEqual([]);
});
