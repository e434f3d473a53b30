// MongoDB and Temporal are restored to different moments, by the steps in docs/backup.md: everything recorded is
// delivered, and nothing else.
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeCalls, type MakeChange, prepareChanges, registerWebhooks } from './changes.ts';
import type { Receipt } from './light-ends.ts';
import { type Dump, dump, restore } from '../support/dump.ts';
import { openSite, type Site } from './restore/site.ts';
import { judge } from './judge-deliveries.ts';

const webhooks = 3;
// Its receiver is down until after the restore, so that its deliveries wait for retries.
const downHook = 2;
const spell = { changesPerSecond: 25, seconds: 4 };
const settings = { HERALD_RETRY_SCHEDULE: ['3s', '5s', '5s', ...Array(15).fill('10s')].join() };
const settleMs = 90_000;

interface Case {
  title: string;
  mongodb: 'kept' | 'rolled back';
  temporal: 'kept' | 'rolled back' | 'lost';
}

const cases: Case[] = [
  { title: 'MongoDB older than Temporal', mongodb: 'rolled back', temporal: 'kept' },
  { title: 'Temporal lost', mongodb: 'kept', temporal: 'lost' },
  { title: 'MongoDB and a still older Temporal', mongodb: 'rolled back', temporal: 'rolled back' },
];

/** What the receivers accepted, and what the service ever recorded. */
interface Evidence {
  taken: (Receipt & { body: string })[];
  recorded: Map<string, string>;
  isMended: boolean;
}

async function startReceivers(evidence: Evidence): Promise<Receiver> {
  return startReceiver((response, request) => {
    const hook = Number(request.path.slice(1));
    const isDown = hook === downHook && !evidence.isMended;
    const eventId = String(request.headers['x-webhook-event-id']);
    const body = request.body.toString();
    const status = isDown ? 503 : 200;
    if (!isDown) evidence.taken.push({ atMs: Date.now(), eventId, hook, status, body });
    response.writeHead(status).end();
  });
}

async function keepRecords({ store }: Site, { recorded }: Evidence): Promise<void> {
  const events = store.events.find({}, { projection: { body: 1 } });
  for await (const { _id, body } of events) recorded.set(_id, body);
}

/** The highest sequence of each resource. */
async function highest({ store }: Site, since: Date): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  const events = store.events.find({ createdAt: { $gte: since } });
  for await (const { entity, resourceUid, sequence } of events) {
    const resource = `${entity}/${resourceUid}`;
    found.set(resource, [...(found.get(resource) ?? []), sequence ?? 0]);
  }
  return found;
}

async function change(site: Site, changes: (client: ApiClient) => MakeChange): Promise<void> {
  const { answers } = await makeCalls(changes(createApiClient(site.apiUrl(), site.app)), spell);
  // A busy machine may reject some.
  const others = Object.keys(answers).filter((status) => !/^(2..|503)$/.test(status));
  expect(others).toEqual([]);
}

/** The steps of docs/backup.md. */
async function putBack(site: Site, { mongodb, temporal }: Case, dumped: Dump): Promise<string> {
  await site.stopRoles();
  if (mongodb === 'rolled back') await restore(site.store, dumped);
  if (temporal === 'rolled back') await site.restoreTemporal();
  if (temporal === 'lost') await site.loseTemporal();
  await site.command('setup');
  if (mongodb === 'rolled back') {
    const printed = await site.command('start-missing', '--mongodb-rolled-back');
    await site.startRoles();
    return printed;
  }
  await site.startRoles();
  return site.command('start-missing');
}

/** Returns deliveries that were accepted more than once, except those that `isExplained` explains. */
function takenTwice({ taken }: Evidence, isExplained: (key: string) => boolean): string[] {
  const seen = new Set<string>();
  return taken
    .map(({ eventId, hook }) => `${eventId}/${hook}`)
    .filter((key) => {
      const isRepeated = seen.has(key);
      seen.add(key);
      return isRepeated && !isExplained(key);
    });
}

/** Returns deliveries with an attempt whose response was too late, on a busy machine: it is recorded and repeated. */
async function unheard({ store }: Site, webhookUids: readonly string[]): Promise<Set<string>> {
  const found = store.deliveries.find({ 'attempts.errorClass': { $in: ['timeout', 'reset'] } });
  const keys = found.map(({ eventId, webhookUid }) => keyOf(eventId, webhookUids, webhookUid));
  return new Set(await keys.toArray());
}

function keyOf(eventId: string, webhookUids: readonly string[], webhookUid: string): string {
  return `${eventId}/${webhookUids.indexOf(webhookUid)}`;
}

function deliveredIn(dumped: Dump, webhookUids: readonly string[]): Set<string> {
  const deliveries = (dumped.get('deliveries') ?? []) as DeliveryDocument[];
  return new Set(
    deliveries
      .filter(({ state }) => state === 'delivered')
      .map(({ eventId, webhookUid }) => keyOf(eventId, webhookUids, webhookUid)),
  );
}

async function run(each: Case) {
  const evidence: Evidence = { taken: [], recorded: new Map(), isMended: false };
  await using receiver = await startReceivers(evidence);
  await using site = await openSite(settings);
  await site.startRoles();
  const client = createApiClient(site.apiUrl(), site.app);
  const webhookUids = await registerWebhooks(client, receiver.url, { count: webhooks });
  let current = client;
  const throughCurrent: ApiClient = {
    call: (...call) => current.call(...call),
    raw: (...call) => current.raw(...call),
  };
  const makeChange = await prepareChanges(throughCurrent, { seed: 1 });
  const changes = (next: ApiClient): MakeChange => {
    current = next;
    return makeChange;
  };

  await change(site, changes);
  if (each.temporal === 'rolled back') await site.copyTemporal();
  await change(site, changes);
  const dumped = await dump(site.store);
  await change(site, changes);
  await keepRecords(site, evidence);
  const before = await highest(site, new Date(0));
  const printed = await putBack(site, each, dumped);
  const eventsAfterRestore = await site.store.events.countDocuments();

  const restoredAt = new Date();
  await change(site, changes);
  evidence.isMended = true;
  const { events, deliveries } = site.store;
  const open = () =>
    deliveries
      .find({ state: { $ne: 'delivered' } }, { projection: { attempts: 0 } })
      .limit(10)
      .toArray();
  const owed = (await events.countDocuments()) * webhooks;
  await waitFor(async () => (await deliveries.countDocuments({ state: 'delivered' })) >= owed, {
    what: 'every delivery',
    timeoutMs: settleMs,
    state: open,
  });
  await keepRecords(site, evidence);
  const verdict = await judge(site.store, {
    receipts: evidence.taken,
    webhookUids,
    faultEndsMs: [],
  });
  const late = await unheard(site, webhookUids);
  // The record of a delivery after the dump is lost with the database.
  const kept = deliveredIn(dumped, webhookUids);
  const isLost = (key: string): boolean => each.mongodb === 'rolled back' && !kept.has(key);
  const after = await highest(site, restoredAt);
  return {
    title: each.title,
    printed: printed.trim().split('\n').slice(-2),
    eventsBefore: before.size === 0 ? 0 : evidence.recorded.size,
    eventsAfterRestore,
    ...verdict,
    invented: evidence.taken
      .filter(({ eventId, body }) => evidence.recorded.get(eventId) !== body)
      .map(({ eventId }) => eventId),
    takenTwice: takenTwice(evidence, (key) => late.has(key) || isLost(key)),
    standingStill: await standingStill(site.store),
    numbersAgain: [...after].filter(([resource, numbers]) =>
      numbers.some((number) => number <= Math.max(0, ...(before.get(resource) ?? []))),
    ),
  };
}

/** Counts the partitions in which a number is waiting. */
async function standingStill({ partitions, sequences }: Store): Promise<number> {
  const issued = { from: sequences.collectionName, localField: '_id', foreignField: '_id' };
  const found = await partitions
    .aggregate([
      { $lookup: { ...issued, as: 'issued' } },
      { $match: { $expr: { $lt: ['$settled', { $first: '$issued.last' }] } } },
    ])
    .toArray();
  return found.length;
}

test.each(cases)(
  'after a restore all recorded events are delivered, and nothing else: $title',
  async (each) => {
    const result = await run(each);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ untrue: [], due: 0, outOfOrder: [] });
    expect(result).toMatchObject({ invented: [], takenTwice: [], standingStill: 0 });
    expect(result).toMatchObject({ numbersAgain: [] });
    expect(result.eventsAfterRestore).toBeGreaterThan(100);
  },
  300_000,
);
