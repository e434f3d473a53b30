// The pages of a sync, without Temporal: which resources it sends, as which events, and when.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryState } from '../../../lib/model/delivery-state.ts';
import type { JobPage } from '../../../lib/temporal/job-messages.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { deliveryPorts, noSignals } from '../../support/delivery-ports.ts';
import { newDelivery } from '../../support/fixtures.ts';
import { eventIdsOf, requestReplay, takeAllPages } from '../../support/jobs.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem, itemsOf } from '../api/problems.ts';

const open = new Disposal();
let service: TestService;
let receiver: Receiver;
let app: TestApp;

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  receiver = open.use(await startReceiver((response) => response.end()));
});

beforeEach(async () => {
  app = await addApp(service);
});

afterAll(() => open[Symbol.asyncDispose]());

function portsAt(at: Date) {
  const { store, config } = service;
  return { store, clock: { now: () => at }, ...noSignals, ...config };
}

interface StartedSync {
  jobUid: string;
  requestedAt: Date;
  take: (page: number, afterMs?: number) => Promise<JobPage>;
  takeAll: () => Promise<JobPage[]>;
}

async function startSync(webhookUid: string, body: object = {}): Promise<StartedSync> {
  const { body: sync } = await app.call('POST', `/webhooks/${webhookUid}/sync`, { body });
  const jobUid = String(sync['uid']);
  const requestedAt = new Date(String(sync['createdAt']));
  const at = (afterMs: number) => portsAt(new Date(requestedAt.getTime() + afterMs));
  return {
    jobUid,
    requestedAt,
    take: (page, afterMs = 15_000) => takeJobPage(at(afterMs), { jobUid, page }),
    takeAll: () => takeAllPages(at(15_000), jobUid),
  };
}

const hook = (fields: Record<string, unknown> = {}) =>
  registerWebhook(app, { url: receiver.url, ...fields });

const addAgent = async (fields: Record<string, unknown> = {}): Promise<string> => {
  const body = { agentName: 'Agent', externalTenantId: 'tenant-1', ...fields };
  return String((await app.call('POST', '/agents', { body })).body['uid']);
};

async function eventsOf(pages: readonly JobPage[]) {
  const eventIds = pages.flatMap(eventIdsOf);
  return service.store.events
    .find({ _id: { $in: eventIds } })
    .sort({ _id: 1 })
    .toArray();
}

/** Returns the uids of the resources that a sync sends. */
async function sentBy({ takeAll }: StartedSync): Promise<string[]> {
  return (await eventsOf(await takeAll())).map(({ resourceUid }) => resourceUid);
}

test.each([
  { afterMs: 14_999, count: 0, isLast: false, waitMs: 1 },
  { afterMs: 15_000, count: 1, isLast: true, waitMs: 1_000 },
])(
  'a page $afterMs ms after the request sends $count of one agent, so that no change being written is missed',
  async ({ afterMs, count, ...rest }) => {
    await addAgent();
    const { take } = await startSync((await hook()).uid);
    const page = await take(1, afterMs);
    expect(page).toMatchObject(rest);
    expect(page.events).toHaveLength(count);
  },
);

test('each resource is sent once, with its present data and the number of its latest change', async () => {
  const agentUid = await addAgent();
  await app.call('PATCH', `/agents/${agentUid}`, { body: { live: true } });
  const body = { contextName: 'Context', externalTenantId: 'tenant-2' };
  const context = await app.call('POST', '/contexts', { body });
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  const path = `/contexts/${String(context.body['uid'])}/files`;
  const made = await app.call('POST', path, { body: file });
  const { uid } = await hook({ entities: ['agent', 'context', 'contextfile'] });
  const sync = await startSync(uid);
  const pages = await sync.takeAll();
  const events = await eventsOf(pages);
  const shown = events.map(({ event, sequence, syncUid, webhookUids, body: text }) => {
    const { data, event: named, sequence: sent } = JSON.parse(text) as Record<string, unknown>;
    return { event, named, sequence, sent, syncUid, webhookUids, data };
  });
  const agent = await app.call('GET', `/agents/${agentUid}`);
  const ofSync = { syncUid: sync.jobUid, webhookUids: [uid] };
  expect(shown).toEqual(
    [
      { event: 'agent.updated', sequence: 2, data: agent.body },
      { event: 'context.updated', sequence: 1, data: context.body },
      { event: 'contextfile.updated', sequence: 1, data: made.body },
    ].map((each) => ({ ...each, named: each.event, sent: each.sequence, ...ofSync })),
  );
  const { body: done } = await app.call('GET', `/syncs/${sync.jobUid}`);
  const counts = { agent: 1, context: 1, contextfile: 1 };
  expect(done).toMatchObject({ state: 'done', releasedCount: 3, counts });
  // A repeat of the page, for example after a kill, sends the same again.
  const repeated = await sync.take(1);
  expect(eventIdsOf(repeated)).toEqual(events.map(({ _id }) => _id));
});

test('a page sends at most `perSecond`, and the next one goes on after it', async () => {
  const uids = [await addAgent(), await addAgent(), await addAgent()];
  for (const uid of ['a/1', 'b']) await reportChange(app, { uid });
  const pages = await (await startSync((await hook()).uid, { perSecond: 2 })).takeAll();
  expect(pages.map(({ events }) => events.length)).toEqual([2, 2, 1]);
  const events = await eventsOf(pages);
  expect(events.map(({ resourceUid }) => resourceUid).toSorted()).toEqual(
    [...uids, 'a/1', 'b'].toSorted(),
  );
});

test('of a resource that is only reported, the latest event is sent, unless it is deleted or erased', async () => {
  await reportChange(app, { uid: 'twice', name: 'old' });
  const latest = await reportChange(app, { uid: 'twice', name: 'new' });
  await reportChange(app, { uid: 'deleted' });
  await reportChange(app, { uid: 'deleted' }, 'agent.deleted');
  const erased = await reportChange(app, { uid: 'erased' });
  await service.store.events.updateOne({ _id: erased }, { $set: { erasedAt: new Date() } });
  const asContext = await reportChange(app, { uid: 'twice' }, 'context.created');
  const { uid } = await hook({ entities: ['agent', 'context'] });
  const pages = await (await startSync(uid)).takeAll();
  expect(pages.flatMap(eventIdsOf).toSorted()).toEqual([latest, asContext].toSorted());
});

test('a reported resource is sent, even if another application stores its uid', async () => {
  const other = await addApp(service);
  const body = { agentName: 'A', externalTenantId: 't' };
  const { body: stored } = await other.call('POST', '/agents', { body });
  const eventId = await reportChange(app, { uid: stored['uid'] });
  const { takeAll } = await startSync((await hook({ entities: ['agent'] })).uid);
  expect((await takeAll()).flatMap(eventIdsOf)).toEqual([eventId]);
});

test('of reports whose uids do not sort like their numbers, the highest number is sent', async () => {
  const first = await reportChange(app, { uid: 'twice' });
  const second = await reportChange(app, { uid: 'twice' });
  const { events } = service.store;
  await events.updateOne({ _id: first }, { $set: { sequence: 2 } });
  await events.updateOne({ _id: second }, { $set: { sequence: 1 } });
  const pages = await (await startSync((await hook()).uid)).takeAll();
  expect(pages.flatMap(eventIdsOf)).toEqual([first]);
});

test.each<[DeliveryState, boolean]>([
  ['retrying', false],
  ['delivered', true],
])('a reported event whose delivery is %s is sent by the sync: %j', async (state, isSent) => {
  const { uid: webhookUid } = await hook();
  const eventId = await reportChange(app);
  const delivery = newDelivery({ app }, new Date(), { eventId, webhookUid, state });
  await service.store.deliveries.insertOne(delivery);
  const pages = await (await startSync(webhookUid)).takeAll();
  expect(pages.flatMap(eventIdsOf)).toEqual(isSent ? [eventId] : []);
});

test('the settings of the webhook and of the request select the resources', async () => {
  const live = await addAgent({ live: true });
  const other = await addAgent({ externalTenantId: 'tenant-2' });
  await reportChange(app, { uid: 'reported', live: false });
  const sent = async (fields: object, body: object = {}) =>
    (await sentBy(await startSync((await hook({ ...fields })).uid, body))).toSorted();
  const all = [live, other, 'reported'].toSorted();
  expect(await sent({})).toEqual(all);
  expect(await sent({ filter: { live: true } })).toEqual([live]);
  expect(await sent({ externalTenantIds: ['tenant-2'] })).toEqual([other]);
  expect(await sent({}, { externalTenantIds: ['tenant-2'] })).toEqual([other]);
  expect(await sent({ events: ['agent.created', 'agent.deleted'] })).toEqual([]);
  expect(await sent({ entities: ['context'] })).toEqual([]);
  expect(await sent({ entities: ['agent', 'context'] }, { entities: ['context'] })).toEqual([]);
});

test("a sync ends with its webhook, and another application's resources are never sent", async () => {
  const { uid } = await hook();
  const other = await addApp(service);
  await other.call('POST', '/agents', { body: { agentName: 'A', externalTenantId: 't' } });
  await reportChange(other);
  expect(await sentBy(await startSync(uid))).toEqual([]);
  const sync = await startSync(uid);
  await app.call('DELETE', `/webhooks/${uid}`);
  expect(await sync.take(1)).toMatchObject({ events: [], isLast: true });
});

test('X-Webhook-Trigger names the sync until somebody resends the event', async () => {
  const agentUid = await addAgent();
  const { uid: webhookUid } = await hook();
  const { takeAll, jobUid } = await startSync(webhookUid);
  const [eventId = ''] = (await takeAll()).flatMap(eventIdsOf);
  await using sender = createHttpSender({ policy: service.config.egress });
  const ports = deliveryPorts(service, { sender });
  const key = { appUid: app.appUid, eventId, webhookUid };
  const { signal } = new AbortController();
  await attemptDelivery(ports, key, { caller: { kind: 'job', jobUid }, signal });
  const request = receiver.requests.find(({ headers }) => headers['webhook-id'] === eventId);
  expect(request?.headers).toMatchObject({
    'x-webhook-trigger': 'sync',
    'x-webhook-sequence': '1',
  });
  expect(JSON.parse(String(request?.body))).toMatchObject({ eventId, sequence: 1 });
  const path = `/events/${eventId}/deliveries/${webhookUid}`;
  const names = async () => {
    const { body } = await app.call('GET', path);
    const headers = (body['request'] as unknown as { headers: { name: string }[] }).headers;
    return headers.map(({ name }) => name);
  };
  expect(await names()).toContain('X-Webhook-Trigger');
  expect((await app.call('GET', path)).body['attempts']).toMatchObject([{ trigger: 'sync' }]);
  const event = await app.call('GET', `/events/${eventId}`);
  expect(event.body).toMatchObject({ syncUid: jobUid, resourceUid: agentUid });
  const { deliveries } = service.store;
  await deliveries.updateOne({ eventId }, { $set: { requeuedAs: 'resend' } });
  expect(await names()).not.toContain('X-Webhook-Trigger');
});

test('the event of a sync goes to no other webhook, and the service says why', async () => {
  await addAgent();
  const { uid } = await hook();
  const other = await hook();
  const sync = await startSync(uid);
  const [eventId] = (await sync.takeAll()).flatMap(eventIdsOf);
  const explained = await app.call('GET', `/events/${eventId}/webhooks`);
  expect(explained.body).toMatchObject([
    { webhookUid: uid, outcome: 'delivery' },
    { webhookUid: other.uid, outcome: 'sync' },
  ]);
  const createdAt = sync.requestedAt;
  const until = new Date(createdAt.getTime() + 60_000);
  const facts = { appUid: app.appUid, webhookUid: other.uid, createdAt, since: createdAt, until };
  const states = ['never_attempted' as const];
  const jobUid = await requestReplay(service.store, { ...facts, states });
  const later = portsAt(new Date(until.getTime() + 60_000));
  expect((await takeAllPages(later, jobUid)).flatMap(eventIdsOf)).toEqual([]);
});

test('a sync of an ordered webhook sends behind the changes before it', async () => {
  const uid = await addAgent();
  const { uid: webhookUid } = await hook({ ordering: 'resource' });
  await app.call('PATCH', `/agents/${uid}`, { body: { live: true } });
  await (await startSync(webhookUid)).takeAll();
  await app.call('PATCH', `/agents/${uid}`, { body: { live: false } });
  const events = itemsOf(await app.call('GET', `/events?resourceUid=${uid}`));
  const found = await service.store.events
    .find({ _id: { $in: events.map(({ eventId }) => String(eventId)) } })
    .sort({ _id: 1 })
    .toArray();
  const orders = found.map(({ sequence, order }) => [sequence, order.map(({ n }) => n)]);
  // The creation came before the webhook.
  expect(new Set(orders.map((each) => JSON.stringify(each)))).toEqual(
    new Set(['[1,[]]', '[2,[1]]', '[2,[2]]', '[3,[3]]']),
  );
});

const requestErasure = (body: object) => app.call('POST', '/erasures', { body });

/** Runs an erasure to its end. Returns the events that still have a payload of the tenant. */
async function erase({ body }: { body: Record<string, unknown> }): Promise<number> {
  const ended = portsAt(new Date(Date.parse(String(body['createdAt'])) + 300_000));
  await takeAllPages(ended, String(body['uid']));
  return countGone();
}

const countGone = (): Promise<number> =>
  service.store.events.countDocuments({ externalTenantId: 'gone', body: { $ne: '' } });

test.each([{ externalTenantId: 'gone' }, { mentions: ['Ada'] }])(
  'a sync requested before the erasure of %j stores and sends nothing of it, even after its end',
  async (subject) => {
    const kept = await addAgent();
    await addAgent({ agentName: 'Ada', externalTenantId: 'gone' });
    await reportChange(app, { uid: 'reported', name: 'Ada', externalTenantId: 'gone' });
    const sync = await startSync((await hook()).uid);
    const keptResources = { agent: 1, context: 0, contextfile: 0 };
    const { body: counted } = await requestErasure({ ...subject, dryRun: true });
    const found = { count: 2, openCount: 0, keptResources, countIsCapped: false };
    expect(counted).toEqual({ dryRun: true, ...found });
    expect(await erase(await requestErasure(subject))).toBe(0);
    expect(await sentBy(sync)).toEqual([kept]);
    expect(await countGone()).toBe(0);
    expect(await service.store.jobs.findOne({ _id: sync.jobUid })).not.toHaveProperty(
      'erasedSince',
    );
  },
);

test('an erasure requested during a page of a sync erases what the page stores', async () => {
  const gone = { externalTenantId: 'gone' };
  for (let n = 0; n < 5; n += 1) await addAgent(gone);
  for (let round = 0; round < 5; round += 1) {
    const sync = await startSync((await hook()).uid);
    // Its events are from the future: the clock of its process is ahead.
    if (round === 0) await sync.take(1);
    const [erasure] = await Promise.all([requestErasure(gone), sync.take(1)]);
    await sync.take(2);
    expect(await erase(erasure)).toBe(0);
  }
});

test('no more than 100 erasures may be requested during a sync, so that it stays small', async () => {
  const { jobUid } = await startSync((await hook()).uid);
  const erasedSince = Array.from({ length: 100 }, (_, n) => ({ externalTenantId: `tenant-${n}` }));
  await service.store.jobs.updateOne({ _id: jobUid }, { $set: { erasedSince } });
  expectProblem(await requestErasure({ mentions: ['Ada'] }), 409, 'limit_reached');
  await app.call('POST', `/syncs/${jobUid}/cancel`);
  expect(await service.store.jobs.findOne({ _id: jobUid })).not.toHaveProperty('erasedSince');
  expect((await requestErasure({ mentions: ['Ada'] })).status).toBe(202);
});
