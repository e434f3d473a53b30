// Every combination of the filters of events and deliveries finds the right documents, through an index. And the cost of
// a page of a release or sync does not depend on how much there is.
import type { Collection, Document, Filter } from 'mongodb';
import { searchOf as searchDeliveries } from '../../../lib/history/delivery-lists.ts';
import { searchOf as searchEvents } from '../../../lib/events/event-lists.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { entityOf } from '../../../lib/model/event-name.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { newDelivery, newEvent, insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { takeReleasePage } from '../../../lib/jobs/release/release-page.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { ReleaseJob } from '../../../lib/model/job.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { profile } from '../../support/query-plans.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { countSync } from '../../../lib/jobs/sync/count-sync.ts';
import type { AgentDocument } from '../../../lib/model/resource.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { newSyncJob } from '../../support/jobs.ts';

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

const longBefore = new Date('2025-12-31T00:00:00Z');
const beforeResume = new Date('2026-01-01T00:00:00Z');
const sentBefore = new Date('2026-01-01T06:00:00Z');
const sentAgainAt = new Date('2026-01-01T12:00:00Z');
const resumedAt = new Date('2026-01-02T00:00:00Z');
const afterResume = new Date('2026-01-03T00:00:00Z');
const dropped = 60;

/**
 * Writes a webhook with more than a page of deliveries held before its resume (some sent again since), held after it,
 * and settled.
 */
async function writeHeld(
  fields: Partial<WebhookDocument>,
  requeuedAt: Date | null,
): Promise<ReleaseJob> {
  const { appUid } = installation.app;
  const release = newRelease({ appUid, webhookUid: newId('whk') }, resumedAt);
  const { webhookUid, _id: releaseUid } = release;
  const url = 'http://127.0.0.1:9/';
  await insertWebhook(installation, { _id: webhookUid, url, releaseUid, ...fields });
  const write = (at: Date, state: 'held' | 'delivered', statusClass: '2xx' | '5xx' | null) =>
    Array.from({ length: dropped / 2 }, () =>
      newDelivery(installation, at, {
        webhookUid,
        state,
        statusClass,
        requeuedAt: at === beforeResume ? requeuedAt : null,
      }),
    );
  const held = [beforeResume, afterResume].flatMap((at) => [
    ...write(at, 'held', null),
    ...write(at, 'held', '5xx'),
  ]);
  const sent = [beforeResume, afterResume].flatMap((at) => write(at, 'delivered', '2xx'));
  await installation.store.deliveries.insertMany([...sent, ...held]);
  return release;
}

test.each([
  ['the held deliveries', {}, null, 20],
  [
    'the deliveries that a resume dropped',
    { discardCount: 1, discardBefore: resumedAt },
    null,
    dropped,
  ],
  ['the deliveries held since a discard', { discardCount: 1, discardBefore: longBefore }, null, 20],
  [
    'as many of those sent again since a discard',
    { discardCount: 1, discardBefore: sentBefore },
    sentAgainAt,
    20,
  ],
] as const)('a page of a release reads only %s', async (...row) => {
  const [, fields, requeuedAt, count] = row;
  const { store } = installation;
  const release = await writeHeld(fields, requeuedAt);
  const making = { page: 1, now: afterResume };
  const profiles = await profile(store, 'deliveries', () =>
    inTransaction(store, (session) => takeReleasePage(store, release, { ...making, session })),
  );
  const examined = profiles.map(({ docsExamined }) => Number(docsExamined));
  expect(Math.max(...examined)).toBeGreaterThanOrEqual(count);
  expect(Math.max(...examined)).toBeLessThanOrEqual(count + 1);
  expect(profiles.filter(({ hasSortStage }) => hasSortStage === true)).toEqual([]);
});

const perPage = 100;
const requestedAt = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-01T00:01:00Z');

/** Writes 20,000 resources, and as many that are only reported. Returns a webhook that gets all. */
async function writeResources(): Promise<string> {
  const { store } = installation;
  await store.events.deleteMany({});
  const { _id } = await insertWebhook(installation, { url: 'https://a.example/' });
  const times = { createdAt: requestedAt, updatedAt: requestedAt };
  const numbers = Array.from({ length: 20_000 }, (_none, index) => index);
  const agents = numbers.map((n): AgentDocument => {
    const facts = { agentName: `Agent ${n}`, externalTenantId: 'tenant-1', live: true };
    const none = { description: null, accountUids: null };
    return { _id: newId('agt', requestedAt), appUid, ...facts, ...none, ...times };
  });
  await store.agents.insertMany(agents);
  await store.sequences.insertMany(
    agents.map((agent) => ({ _id: `${appUid}/agent/${agent._id}`, last: 1 })),
  );
  const reported = numbers.flatMap((n) =>
    [1, 2].map((sequence) => {
      const event = newEvent(installation, [], new Date(requestedAt.getTime() - 90_000));
      return { ...event, resourceUid: `reported-${n}`, sequence };
    }),
  );
  await store.events.insertMany(reported, { ordered: false });
  return _id;
}

/** Takes the first page of a sync from a cursor, and returns the documents that it reads of a collection. */
async function readBy(collection: 'agents' | 'events', cursor: string, webhookUid: string) {
  const { store, config } = installation;
  const facts = { appUid, webhookUid, createdAt: requestedAt };
  const sync = { ...newSyncJob(facts), perSecond: perPage, cursor };
  await store.jobs.insertOne(sync);
  const ports = { store, clock: { now: () => later }, ...noSignals, ...config };
  let sent = 0;
  const profiles = await profile(store, collection, async () => {
    sent = (await takeJobPage(ports, { jobUid: sync._id, page: 1 })).events.length;
  });
  const read = profiles.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
  const plans = profiles.map(({ planSummary }) => String(planSummary));
  return { read, plans, sent };
}

describe('of 20,000 resources', () => {
  let webhookUid: string;
  beforeAll(async () => {
    webhookUid = await writeResources();
  });

  test.each([
    ['of stored resources', 'agents', '0/', perPage + 1],
    // The latest two events of each, and each of them once again to send it.
    ['of reported resources', 'events', '3/', 4 * perPage],
  ] as const)('a page %s reads few documents', async (...row) => {
    const [, collection, cursor, readMax] = row;
    const { read, plans, sent } = await readBy(collection, cursor, webhookUid);
    expect(sent).toBe(perPage);
    expect(read).toBeLessThanOrEqual(readMax);
    expect(plans).not.toContain('COLLSCAN');
  });

  test('a dry run counts 10,000 of them, and says that there are more', async () => {
    const sync = newSyncJob({ appUid, webhookUid, createdAt: requestedAt });
    const counted = await countSync(installation.store, sync);
    expect(counted).toMatchObject({ count: 10_000, countIsCapped: true });
  });
});
