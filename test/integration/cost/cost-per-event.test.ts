// The cost of an event in counts that are independent of the machine's speed: commands, transitions, history.
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { findSubscriptions } from '../../../lib/webhooks/webhooks.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startWorkflow } from '../../support/starters.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { reportChange } from '../../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => response.writeHead(200).end());
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

afterEach(clear);

async function clear(): Promise<void> {
  await service.store.db.dropCollection('system.profile');
  for (const name of ['webhooks', 'events', 'deliveries'] as const) {
    await service.store.db.collection(name).deleteMany({});
  }
}

interface Cost {
  /** Commands on the service's collections by name, such as `events.insert`. */
  commands: Record<string, number>;
  /** Documents and index keys that these commands read. */
  documentsRead: number;
  stateTransitions: number;
  historyEvents: number;
  historyBytes: number;
}

/** Counts the cost of `work` until the deliveries of the events that it returns are settled. */
async function costOf(deliveries: number, work: () => Promise<readonly string[]>): Promise<Cost> {
  const { store, temporal } = service;
  // The server's profiler records each command on this test's database.
  await store.db.setProfilingLevel('all');
  const eventIds = await work();
  await waitFor(
    async () => {
      const outcome = { eventId: { $in: [...eventIds] }, state: 'delivered' } as const;
      return (await store.deliveries.countDocuments(outcome)) === deliveries;
    },
    { what: 'every delivery' },
  );
  const unmarked = { _id: { $in: [...eventIds] }, dispatchedAt: null };
  await waitFor(async () => (await store.events.countDocuments(unmarked)) === 0);
  await store.db.setProfilingLevel('off');
  const event = await store.events.findOne({ _id: eventIds[0] ?? '' });
  const handle = temporal.client.workflow.getHandle(event?.workflowId ?? '');
  await handle.result();
  const info = (await handle.describe()).raw.workflowExecutionInfo;
  return {
    ...(await countCommands()),
    stateTransitions: Number(info?.stateTransitionCount),
    historyEvents: Number(info?.historyLength),
    historyBytes: Number(info?.historySizeBytes),
  };
}

/** Returns the lowest of three costs: on a stalling machine, a heartbeat adds a transition and facts are read again. */
async function leastOf(measure: () => Promise<Cost>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let n = 0; n < 3; n += 1) {
    costs.push(await measure());
    await clear();
  }
  const countOf = ({ commands, stateTransitions }: Cost): number =>
    Object.values(commands).reduce((sum, count) => sum + count, 1_000 * stateTransitions);
  const [least] = costs.toSorted((one, other) => countOf(one) - countOf(other));
  return least as Cost;
}

async function countCommands(): Promise<Pick<Cost, 'commands' | 'documentsRead'>> {
  const commands: Record<string, number> = {};
  let documentsRead = 0;
  for (const entry of await service.store.db.collection('system.profile').find().toArray()) {
    const [, collection = ''] = String(entry['ns']).split('.');
    const command = entry['command'] as Record<string, unknown>;
    if (collection === 'system' || isNoCost(command)) continue;
    const name = `${collection}.${String(entry['op'])}`;
    if (byTheClock.has(name)) continue;
    commands[name] = (commands[name] ?? 0) + 1;
    documentsRead += Number(entry['docsExamined'] ?? 0) + Number(entry['keysExamined'] ?? 0);
  }
  return { commands, documentsRead };
}

// Every second or few per process, or once per minute and key, for any number of events.
const byTheClock = new Set([
  // The floor of new counters.
  'sequences.query',
  // The relay looks for waiting jobs and parked partitions.
  'jobs.command',
  'partitions.command',
  'rateCounts.query',
  'rateCounts.update',
  'apiKeys.update',
  'statistics.update',
  'statisticsCursors.command',
  'statisticsCursors.query',
  'statisticsCursors.update',
  // The times when webhooks were last triggered.
  'webhooks.update',
]);

/** Checks for commands that no event causes: those of these tests, the relay's sweeps, the reads of the statistics. */
function isNoCost(command: Record<string, unknown>): boolean {
  const filter = (command['filter'] ?? {}) as Record<string, unknown>;
  const isCount = 'aggregate' in command && command['aggregate'] !== 'apiKeys';
  return isCount || 'createdAt' in filter || 'signalAt' in filter || 'updatedAt' in filter;
}

const reportOne = async (): Promise<string[]> => [await reportChange(service, { agentName: 'A' })];

// For any number of webhooks. The writes of deliveries are extra.
const commandsOfEvent = {
  // With its application, joined by the server.
  'apiKeys.command': 1,
  'webhooks.query': 1,
  'sequences.command': 1,
  'events.insert': 1,
  'events.update': 2,
};
const commandsOfOne = { ...commandsOfEvent, 'deliveries.insert': 1 };

test('a reported event on its own costs seven commands, two transitions and seven history events', async () => {
  const cost = await leastOf(async () => {
    await insertWebhook(service, { url: receiver.url });
    return costOf(1, reportOne);
  });
  expect(cost.commands).toEqual(commandsOfOne);
  expect(cost.stateTransitions).toBe(2);
  expect(cost.historyEvents).toBe(7);
  expect(cost.historyBytes).toBeLessThan(2_800);
});

test('a change of an agent costs one more write, in one transaction with its event', async () => {
  await insertWebhook(service, { url: receiver.url });
  const created = await service.call('POST', '/agents', {
    body: { agentName: 'A', externalTenantId: 'tenant-1' },
  });
  const agentUid = String(created.body['uid']);
  await waitFor(async () => (await service.store.deliveries.countDocuments({})) === 1);
  await waitFor(
    async () => (await service.store.events.countDocuments({ dispatchedAt: null })) === 0,
  );
  const before = receiver.requests.length;
  const cost = await costOf(1, async () => {
    await service.call('PATCH', `/agents/${agentUid}`, { body: { live: true } });
    const request = await waitFor(() => receiver.requests[before]);
    return [String(request.headers['x-webhook-event-id'])];
  });
  expect(cost.commands).toEqual({
    ...commandsOfEvent,
    'agents.command': 1,
    'deliveries.insert': 1,
  });
});

test('sixty events that share a workflow cost as many transitions as one, and 0.15 commands each', async () => {
  const { commands, ...cost } = await leastOf(async () => {
    const webhook = await insertWebhook(service, { url: receiver.url });
    // A minute ahead, so that the relay does not take them for lost.
    const createdAt = new Date(Date.now() + 60_000);
    const events = Array.from({ length: 60 }, () => newEvent(service, [webhook._id], createdAt));
    await service.store.events.insertMany(events);
    return costOf(60, async () => {
      await startWorkflow(service, events, { eager: true });
      return events.map((event) => event._id);
    });
  });
  const { 'deliveries.insert': inserts = 0, ...others } = commands;
  expect(others).toEqual({
    'events.update': 2,
    'events.query': 1,
    'webhooks.query': 1,
    'deliveries.query': 1,
  });
  // How many responses are recorded together depends on their arrival. On a quiet machine there are two inserts.
  expect(inserts).toBeLessThanOrEqual(0.15 * 60 - 5);
  expect(cost).toMatchObject({ stateTransitions: 2, historyEvents: 7 });
  expect(cost.historyBytes / 60).toBeLessThan(220);
});

test('an event to a hundred webhooks costs fifty activities, and only a few more commands than an event to one', async () => {
  for (let n = 0; n < 100; n += 1) await insertWebhook(service, { url: receiver.url });
  const { commands, ...cost } = await costOf(100, reportOne);
  const { 'deliveries.insert': inserts = 0, ...others } = commands;
  expect(others).toEqual(commandsOfEvent);
  expect(inserts).toBeLessThanOrEqual(50);
  expect(cost).toMatchObject({ stateTransitions: 2, historyEvents: 56 });
  expect(cost.historyBytes / 100).toBeLessThan(400);
});

test('webhooks that do not match and events already stored add nothing to the cost of an event', async () => {
  for (let n = 0; n < 99; n += 1) await insertWebhook(service, { url: receiver.url });
  // While all match, MongoDB comes to keep a plan that reads all.
  const { appUid } = service.app;
  for (let n = 0; n < 10; n += 1) {
    await findSubscriptions(service.store, { appUid, entities: ['agent'] });
  }
  await service.store.webhooks.updateMany({}, { $set: { entities: ['context'] } });
  const webhook = await insertWebhook(service, { url: receiver.url });
  const now = new Date();
  const stored = Array.from({ length: 200 }, () => newEvent(service, [webhook._id], now));
  await service.store.events.insertMany(stored.map((event) => ({ ...event, dispatchedAt: now })));
  const cost = await costOf(1, reportOne);
  expect(cost.commands).toEqual(commandsOfOne);
  expect(cost.documentsRead).toBeLessThan(20);
});
