// A new primary whose majority reads miss acknowledged writes: such a read neither ends nor skips a delivery, and under load
// with failing receivers every acknowledged event is delivered.
import type { Timestamp } from 'mongodb';
import { createWebhookReader } from '../../api/resources/webhook-reader.ts';
import type { Member } from '../../dev/servers/cluster/member.ts';
import { startReplicaSet } from '../../dev/servers/cluster/replica-set.ts';
import { openDataFolder } from '../../dev/servers/data-folder.ts';
import { findBinary } from '../../dev/servers/find-binary.ts';
import { pickPorts } from '../../dev/servers/free-port.ts';
import { attemptDelivery } from '../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../lib/deliveries/attempt-in-order.ts';
import type { AttemptCaller } from '../../lib/deliveries/decide.ts';
import { takeJobPage } from '../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import { deleteExpired } from '../../lib/jobs/retention/retention.ts';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { dayMs } from '../../lib/platform/duration.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { JobPage } from '../../lib/temporal/job-messages.ts';
import { createApiClient } from '../support/api-client.ts';
import { deliveryPorts } from '../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../support/fixtures.ts';
import { insertPartition } from '../support/issue-number.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { requestResend, eventIdsOf } from '../support/jobs.ts';
import { startReceiver } from '../support/receivers.ts';
import { requeue } from '../support/requeue.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

/** A replica set of three whose new primary does not know yet that the latest writes were acknowledged. */
interface FragileSet {
  uri: string;
  /** From now on the first two members acknowledge writes, but the second does not learn of it. */
  stopLearning(): Promise<void>;
  /** Kills the first member and makes the second primary: it can commit nothing, and its majority reads are stale. */
  losePrimary(): Promise<void>;
  /** Lets the new primary commit, with the third member. */
  heal(): Promise<void>;
}

async function startFragileSet(open: Disposal): Promise<FragileSet> {
  const binary = await findBinary('mongod', { progress: () => undefined });
  const data = await openDataFolder(null, 'replica-set');
  open.defer(() => data.discard());
  const ports = await pickPorts([0, 0, 0]);
  const place = { folder: data.path, ports };
  const set = await startReplicaSet({ open, binary, ...place, testCommands: true });
  const [first, second, third] = set.members as [Member, Member, Member];
  const turn = (mode: 'alwaysOn' | 'off', member: Member, name: string) =>
    set.command(member, { configureFailPoint: name, mode });
  const optimeOf = async (member: Member, name: string): Promise<Timestamp> => {
    const { optimes } = await set.command(member, { replSetGetStatus: 1 });
    return (optimes as Record<string, { ts: Timestamp }>)[name]?.ts as Timestamp;
  };
  return {
    uri: set.uri,
    async stopLearning() {
      const written = await optimeOf(first, 'appliedOpTime');
      await waitFor(async () => {
        const known = await optimeOf(second, 'readConcernMajorityOpTime');
        return known.greaterThanOrEqual(written);
      });
      // Otherwise the second member could get its data through the third.
      await set.command(second, { replSetSyncFrom: `127.0.0.1:${ports[0]}` });
      await turn('alwaysOn', third, 'stopReplProducer');
      await turn('alwaysOn', second, 'disableSnapshotting');
    },
    async losePrimary() {
      await first.signal('SIGKILL');
      const standsUp = () => set.command(second, { replSetStepUp: 1 });
      await waitFor(() => standsUp().then(Boolean, () => false), { what: 'the new primary' });
    },
    async heal() {
      await turn('off', second, 'disableSnapshotting');
      await turn('off', third, 'stopReplProducer');
    },
  };
}

const open = new Disposal();
const { signal } = new AbortController();
let installation: Installation;
let ports: DeliveryPorts;
let scene: Scene;
/** The result of each call while the primary was new, and afterwards. */
const early = new Map<string, PromiseSettledResult<unknown>>();
const later = new Map<string, unknown>();
let page: JobPage;
let subscribed: string[];

beforeAll(async () => {
  const set = await startFragileSet(open);
  installation = open.use(await createInstallation({ MONGODB_URI: set.uri }));
  const { store, app } = installation;
  const receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
  const acknowledge = await prepare(receiver.url);
  await set.stopLearning();
  scene = await acknowledge();
  // The primary is lost after the transaction of the page.
  const losing = { ...ports, signalTakenByJob: () => set.losePrimary() };
  page = await takeJobPage(losing, { jobUid: scene.resendOfTaken, page: 1 });
  const isSeen = async () => (await store.webhooks.findOne({ _id: scene.newWebhook })) !== null;
  expect(await isSeen()).toBe(false);
  const read = createWebhookReader(store);
  const webhooks = await read({ appUid: app.appUid, entities: ['agent'] });
  subscribed = webhooks.map(({ _id }) => _id);
  const settle = async ([unseen, call]: [string, () => Promise<unknown>]) => {
    const [outcome] = await Promise.allSettled([call()]);
    early.set(unseen, outcome);
  };
  await Promise.all(Object.entries(scene.calls).map(settle));
  await set.heal();
  await waitFor(isSeen);
  for (const [unseen, call] of Object.entries(scene.calls)) later.set(unseen, await call());
});

afterAll(() => open[Symbol.asyncDispose]());

interface Scene {
  newWebhook: string;
  taken: string;
  resendOfTaken: string;
  /** Each call needs a write that the new primary misses. */
  calls: Record<string, () => Promise<unknown>>;
}

/** Writes what the new primary will have. The returned function writes what it will miss. */
async function prepare(url: string): Promise<() => Promise<Scene>> {
  const { store } = installation;
  const { appUid } = installation.app;
  const webhook = await insertWebhook(installation, { url });
  const narrow = await insertWebhook(installation, { url, entities: ['context'] });
  const ordered = await insertWebhook(installation, { url, ordering: 'resource' });
  const paused = await insertWebhook(installation, { url, active: false });
  const known = await insertEvent(installation, []);
  const [claimed, taken, held] = [
    await insertDelivery(webhook._id, 'exhausted'),
    await insertDelivery(webhook._id, 'exhausted'),
    await insertDelivery(paused._id, 'held'),
  ];
  const { entity, resourceUid, ...fields } = newEvent(installation, [ordered._id], new Date());
  const partition = { appUid, webhookUid: ordered._id, entity, resourceUid };
  await insertPartition(store, { ...partition, issued: 1 });
  return async () => {
    const event = await insertEvent(installation, [webhook._id]);
    const newWebhook = await insertWebhook(installation, { url });
    await store.webhooks.updateOne({ _id: narrow._id }, { $set: { entities: ['agent'] } });
    const jobUid = newId('job');
    const claim = { appUid, eventId: claimed, webhookUid: webhook._id };
    await requeue(installation, claim, { jobUid, requeuedAs: 'resend' });
    const order = [{ webhookUid: ordered._id, n: 1 }];
    await store.events.insertOne({ ...fields, entity, resourceUid, order });
    const resend = (eventId: string) =>
      requestResend(store, { appUid, eventId, webhookUids: [webhook._id] });
    const resent = await resend(event._id);
    await store.webhooks.updateOne({ _id: paused._id }, { $set: { active: true } });
    return {
      newWebhook: newWebhook._id,
      taken,
      resendOfTaken: await resend(taken),
      calls: {
        'an event': () => attempt(event._id, webhook._id),
        'a webhook': () => attempt(known._id, newWebhook._id),
        'a wider subscription': () => attempt(known._id, narrow._id),
        'a claim by a job': () => attempt(claimed, webhook._id, { kind: 'job', jobUid }),
        'the event of a number': async () => {
          const { settled } = await attemptInOrder(ports, partition, { signal });
          return settled[0]?.state;
        },
        'a job': async () => {
          const first = await takeJobPage(ports, { jobUid: resent, page: 1 });
          return eventIdsOf(first).includes(event._id) ? 'passed on' : 'dropped';
        },
        'a resume': async () => {
          await deleteExpired(ports, { now: new Date() });
          return (await store.deliveries.findOne({ eventId: held }))?.state;
        },
      },
    };
  };
}

/** Writes an event with a delivery in that state for longer than webhooks may hold one. Returns its uid. */
async function insertDelivery(webhookUid: string, state: DeliveryState): Promise<string> {
  const at = new Date(Date.now() - 4 * dayMs);
  const { _id: eventId } = await insertEvent(installation, [webhookUid], at);
  const delivery = newDelivery(installation, at, { eventId, webhookUid, state });
  await installation.store.deliveries.insertOne(delivery);
  return eventId;
}

async function attempt(
  eventId: string,
  webhookUid: string,
  caller: AttemptCaller = { kind: 'event' },
): Promise<string> {
  const key = { appUid: installation.app.appUid, eventId, webhookUid };
  return (await attemptDelivery(ports, key, { caller, signal })).state;
}

test.each([
  ['an event', 'delivered'],
  ['a webhook', 'delivered'],
  ['a wider subscription', 'delivered'],
  ['a claim by a job', 'delivered'],
  ['the event of a number', 'delivered'],
  ['a job', 'passed on'],
  ['a resume', 'held'],
])(
  '%s that a new primary does not show is waited for: the call fails, and its repeat has it (%s)',
  (unseen, outcome) => {
    expect(early.get(unseen)).toMatchObject({ status: 'rejected' });
    expect(later.get(unseen)).toBe(outcome);
  },
);

test('a page whose primary is lost after its transaction is passed on completely', () => {
  expect(eventIdsOf(page)).toEqual([scene.taken]);
});

test('a change recorded by a new primary has the webhooks that were registered before', () => {
  expect(subscribed).toContain(scene.newWebhook);
});

const callersAtOnce = 10;
const changesBefore = 20;
const changesUnlearnt = 30;
const faultsMin = 10;

test('no event is lost with the primary that acknowledged it, although the next primary does not show it yet', async () => {
  await using closing = new Disposal();
  const set = await startFragileSet(closing);
  // First attempts are left to workflows, which read the event.
  const wanted = { MONGODB_URI: set.uri, HERALD_EARLY_FIRST_ATTEMPTS: 'false' };
  const site = closing.use(await createInstallation(wanted));
  const load = { isOver: false };
  // No event is delivered before the primary is lost, so that many attempts meet the new one.
  const receiver = closing.use(
    await startReceiver((response) => response.writeHead(load.isOver ? 200 : 500).end()),
  );
  await insertWebhook(site, { url: receiver.url, retryScheduleMs: Array(20).fill(1_000) });
  const [api, worker] = await Promise.all([
    startRole('api', site.env),
    startRole('worker', site.env),
  ]);
  for (const role of [api, worker]) closing.use(role);
  const client = createApiClient(`http://127.0.0.1:${api.port}`, site.app);
  const linesOf = (name: string) =>
    [api, worker].flatMap(({ lines }) => lines.filter(({ msg }) => msg === name));
  const acknowledged: string[] = [];
  const callers = Array.from({ length: callersAtOnce }, async () => {
    while (!load.isOver) acknowledged.push(await reportChange(client, { uid: newId('agt') }));
  });
  await waitFor(() => acknowledged.length >= changesBefore, { what: 'the first changes' });
  await set.stopLearning();
  const learnt = acknowledged.length;
  await waitFor(() => acknowledged.length >= learnt + changesUnlearnt, { what: 'later changes' });
  await set.losePrimary();
  load.isOver = true;
  // By then attempts have used the new primary.
  const met = () => linesOf('activity.faulted').length + linesOf('delivery.event_missing').length;
  await waitFor(() => met() >= faultsMin, {
    what: 'attempts at the new primary',
    state: met,
  });
  await set.heal();
  await Promise.all(callers);
  const delivered = { eventId: { $in: acknowledged }, state: 'delivered' } as const;
  const count = () => site.store.deliveries.countDocuments(delivered);
  await waitFor(async () => (await count()) === acknowledged.length, {
    what: `${acknowledged.length} deliveries`,
    state: count,
  });
  expect(linesOf('delivery.event_missing')).toEqual([]);
});
