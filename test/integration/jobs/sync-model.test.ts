// Whatever is interleaved, a receiver that keeps the highest sequence of each resource has the state of the service.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { beginWaitingJobs } from '../../../lib/jobs/job-turns.ts';
import { isOpen } from '../../../lib/model/delivery-state.ts';
import { keyOfPartition } from '../../../lib/model/partition.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { soakShare } from '../../support/soak-share.ts';
import { startService, type TestService } from '../../support/service.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';
import { itemsOf } from '../api/problems.ts';

// All seeds share the machine, and the slowest alone takes 50 s.
const timeoutMs = 400_000;
const seeds = Array.from({ length: soakShare(100) }, (_, index) => index + 1);
const stepsPerSeed = 30;
const open = new Disposal();
const { signal } = new AbortController();
let service: TestService;
let receiver: Receiver;
let sender: Sender;

/** What a receiver keeps of a resource. A deleted one has no data. */
interface Kept {
  sequence: number;
  data: Record<string, unknown> | null;
}

interface Copy {
  random: () => number;
  kept: Map<string, Kept>;
  /** Whether the sequences of each resource must not fall, except by a repeat of the last event. */
  isOrdered: boolean;
  faults: string[];
  synced: number;
}

/** The copies of the receivers by the path of their webhook. */
const copies = new Map<string, Copy>();

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  // The test itself decides what is attempted, and when, so no workflow is started.
  Object.assign(service.context.starter, { add: () => undefined, addJob: () => undefined });
  sender = open.use(createHttpSender({ policy: service.config.egress }));
  receiver = open.use(
    await startReceiver((response, { path, body, headers }) => {
      const copy = copies.get(path);
      const isUp = copy !== undefined && copy.random() >= 0.2;
      if (isUp) receive(copy, JSON.parse(body.toString()) as Received, headers);
      // Some responses are lost after the receiver has kept the event.
      response.writeHead(isUp && copy.random() >= 0.1 ? 200 : 500).end();
    }),
  );
});

afterAll(() => open[Symbol.asyncDispose]());

interface Received {
  eventId: string;
  event: string;
  sequence: number;
  data: Record<string, unknown> & { uid: string };
}

function receive(copy: Copy, received: Received, headers: Record<string, unknown>): void {
  const { event, data, sequence } = received;
  const [entity] = event.split('.');
  const key = `${entity}/${data.uid}`;
  const before = copy.kept.get(key);
  if (headers['x-webhook-trigger'] === 'sync') copy.synced += 1;
  if (before !== undefined && sequence < before.sequence) {
    if (copy.isOrdered) copy.faults.push(`${key}: ${sequence} after ${before.sequence}`);
    return;
  }
  copy.kept.set(key, { sequence, data: event.endsWith('.deleted') ? null : data });
}

/** One run: an application whose resources change while its webhooks are synced. */
class Run {
  readonly random: () => number;
  /** The data of the latest report of each resource that is stored elsewhere; null after its deletion. */
  readonly reported = new Map<string, Record<string, unknown> | null>();
  readonly syncs: { uid: string; page: number; isDone: boolean }[] = [];
  readonly hooks: { uid: string; path: string }[] = [];
  readonly seed: number;
  readonly app: TestApp;
  readonly #ports: DeliveryPorts;
  /** The time of attempts and pages runs ahead, so that waits are over. */
  #aheadMs = 0;

  constructor(seed: number, app: TestApp) {
    this.seed = seed;
    this.app = app;
    this.random = seededRandom(seed);
    const send: Sender['send'] = async (request) => {
      const result = await sender.send(request);
      // As if the process were killed before it has recorded the attempt.
      if (this.random() < 0.1) throw new Error('killed');
      return result;
    };
    this.#ports = deliveryPorts(service, {
      sender: { ...sender, send },
      clock: { now: () => new Date(Date.now() + this.#aheadMs) },
      retryScheduleMs: Array.from({ length: 20 }, () => 1_000),
    });
  }

  ports(): DeliveryPorts {
    this.#aheadMs += 20_000;
    return this.#ports;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  async step(): Promise<void> {
    const steps = [() => this.change(), () => this.report(), () => this.deliverOne()];
    const more = [() => this.register(), () => this.sync(), () => this.takePage()];
    await this.pick([...steps, ...steps, ...more])?.();
  }

  async register(): Promise<void> {
    if (this.hooks.length === 2) return;
    const path = `/${this.seed}/${this.hooks.length}`;
    const ordering = this.hooks.length === 0 ? 'parallel' : 'resource';
    const random = seededRandom(this.seed * 1_000 + this.hooks.length);
    const isOrdered = ordering === 'resource';
    copies.set(path, { random, kept: new Map(), isOrdered, faults: [], synced: 0 });
    const entities = ['agent', 'context'];
    const url = `${receiver.url}${path}`;
    const { uid } = await registerWebhook(this.app, { url, entities, ordering });
    this.hooks.push({ uid, path });
    await this.sync(uid);
  }

  async sync(webhookUid = this.pick(this.hooks)?.uid): Promise<void> {
    if (webhookUid === undefined) return;
    const body = { perSecond: 1 + Math.floor(this.random() * 3) };
    const answer = await this.app.call('POST', `/webhooks/${webhookUid}/sync`, { body });
    expect(answer.status).toBe(202);
    this.syncs.push({ uid: String(answer.body['uid']), page: 1, isDone: false });
  }

  async change(): Promise<void> {
    const kind = this.pick(['agents', 'contexts'] as const) ?? 'agents';
    const name = { [kind === 'agents' ? 'agentName' : 'contextName']: `n${this.random()}` };
    const [uid] = [this.pick(itemsOf(await this.app.call('GET', `/${kind}`)))?.['uid']];
    if (uid === undefined || this.random() < 0.4) {
      const body = { ...name, externalTenantId: 'tenant-1' };
      await this.app.call('POST', `/${kind}`, { body });
    } else if (this.random() < 0.7) {
      await this.app.call('PATCH', `/${kind}/${String(uid)}`, { body: name });
    } else await this.app.call('DELETE', `/${kind}/${String(uid)}`);
  }

  async report(): Promise<void> {
    const uid = this.pick(['1', '2', 'agt-3/x']) ?? '1';
    const entity = this.pick(['agent', 'context']) ?? 'agent';
    const kind = this.pick(['created', 'updated', 'updated', 'deleted']) ?? 'updated';
    const data = { uid, externalTenantId: 'tenant-1', number: this.random() };
    const body = { event: `${entity}.${kind}`, data };
    expect((await this.app.call('POST', '/changes', { body })).status).toBe(202);
    this.reported.set(`${entity}/${uid}`, kind === 'deleted' ? null : data);
  }

  /** Takes the next page of a sync; sometimes the process is killed and the page taken again. */
  async takePage(): Promise<void> {
    const sync = this.pick(this.syncs.filter(({ isDone }) => !isDone));
    if (sync === undefined) return;
    const input = { jobUid: sync.uid, page: sync.page };
    await beginWaitingJobs(service.store);
    const changing = this.random() < 0.5 ? this.change() : Promise.resolve();
    let taken = await takeJobPage(this.ports(), input);
    await changing;
    if (this.random() < 0.3) taken = await takeJobPage(this.ports(), input);
    Object.assign(sync, { page: sync.page + 1, isDone: taken.isLast });
  }

  /** Makes one attempt, by the owner of a delivery that is open. */
  async deliverOne(): Promise<void> {
    await this.pick(await this.openWork())?.();
  }

  /** Makes attempts until none is left to make. */
  async deliverAll(): Promise<void> {
    for (let work = await this.openWork(); work.length > 0; work = await this.openWork()) {
      while (work.length > 0) {
        const [next] = work.splice(Math.floor(this.random() * work.length), 1);
        await next?.();
      }
    }
  }

  /** Returns the attempts that could be made now. A killed one is repeated later. */
  async openWork(): Promise<(() => Promise<void>)[]> {
    const { appUid } = this.app;
    const { store } = service;
    const events = await store.events.find({ appUid }).toArray();
    const deliveries = await store.deliveries.find({ appUid }).toArray();
    const recorded = new Set(
      deliveries.map(({ eventId, webhookUid }) => `${eventId} ${webhookUid}`),
    );
    const unrecorded = events.flatMap(({ _id: eventId, webhookUids, order }) =>
      webhookUids
        .filter((uid) => !order.some(({ webhookUid }) => webhookUid === uid))
        .filter((uid) => !recorded.has(`${eventId} ${uid}`))
        .map((webhookUid) => () => this.attempt({ appUid, eventId, webhookUid, jobUid: null })),
    );
    const open = deliveries
      .filter(
        ({ state, partition, jobUid }) => isOpen(state) && (partition === null || jobUid !== null),
      )
      .map(({ eventId, webhookUid, jobUid }) => {
        return () => this.attempt({ appUid, eventId, webhookUid, jobUid });
      });
    const inOrder = (await store.partitions.find({ appUid }).toArray()).flatMap((partition) => {
      const isBehind = events.some(({ entity, resourceUid, order }) => {
        const isOfPartition = entity === partition.entity && resourceUid === partition.resourceUid;
        return isOfPartition && order.some(({ n }) => n > partition.settled);
      });
      const drain = () => attemptInOrder(this.ports(), keyOfPartition(partition), { signal });
      return isBehind ? [drain] : [];
    });
    return [...unrecorded, ...open, ...inOrder].map((work) => async () => {
      await work().catch((error: unknown) => {
        if (!(error instanceof Error) || error.message !== 'killed') throw error;
      });
    });
  }

  async attempt({
    jobUid,
    ...key
  }: Parameters<typeof attemptDelivery>[1] & { jobUid: string | null }): Promise<unknown> {
    const caller =
      jobUid === null ? ({ kind: 'event' } as const) : { kind: 'job' as const, jobUid };
    return attemptDelivery(this.ports(), key, { caller, signal });
  }

  /** Returns the live resources of the service and of the reports. */
  async state(): Promise<Map<string, unknown>> {
    const agents = itemsOf(await this.app.call('GET', '/agents?limit=200'));
    const contexts = itemsOf(await this.app.call('GET', '/contexts?limit=200'));
    return new Map<string, unknown>([
      ...agents.map((data) => [`agent/${String(data['uid'])}`, data] as const),
      ...contexts.map((data) => [`context/${String(data['uid'])}`, data] as const),
      ...[...this.reported].filter(([, data]) => data !== null),
    ]);
  }
}

test.concurrent.each(seeds)(
  'changes, syncs, retries and kills, seed %i',
  async (seed) => {
    const run = new Run(seed, await addApp(service, `seed ${seed}`));
    for (let step = 0; step < stepsPerSeed; step += 1) await run.step();
    while (run.hooks.length < 2) await run.register();
    while (run.syncs.some(({ isDone }) => !isDone)) await run.takePage();
    await run.deliverAll();
    const state = await run.state();
    for (const { path } of run.hooks) {
      const copy = copies.get(path);
      const live = [...(copy?.kept ?? [])].filter(([, { data }]) => data !== null);
      expect(copy?.faults).toEqual([]);
      expect(new Map(live.map(([key, { data }]) => [key, data]))).toEqual(state);
    }
  },
  timeoutMs,
);
