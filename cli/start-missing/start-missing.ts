// After a restore: restarts every workflow that a document in the database still waits for.
import type { Client } from '@temporalio/client';
import { forEachLimit } from '../../lib/concurrency/for-each-limit.ts';
import { claimEvents, factsOnly } from '../../lib/events/events.ts';
import { dispatchLimits } from '../../lib/limits.ts';
import { type DeliveryDocument, pairOf, pairsOf } from '../../lib/model/delivery.ts';
import { testEventName } from '../../lib/model/event-name.ts';
import type { EventFacts, EventToDispatch } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { idAt, newId } from '../../lib/platform/ids.ts';
import { toStart } from '../../lib/jobs/jobs.ts';
import {
  batchWorkflowId,
  deliverEventsWorkflow,
  jobPageWorkflowId,
  runJobWorkflow,
} from '../../lib/temporal/names.ts';
import { startWorkflow } from '../../lib/dispatch/workflow-starts.ts';
import { deliverEventsOptions, jobOptions } from '../../lib/temporal/start-options.ts';

const { idsPerSearchAttributeMax, deliveriesPerWorkflowMax } = dispatchLimits;
const concurrentStarts = 10;
const batchSize = 1_000;
// Of a workflow that has ended too early.
const workflowIdReusePolicy = 'ALLOW_DUPLICATE';

interface MissingPorts {
  store: Store;
  client: Client;
}

export interface StartedAgain {
  /** Unsettled deliveries that a workflow has to settle. */
  waiting: number;
  /** Workflows that were started. Running ones are left alone. */
  started: number;
  /** Jobs that were started. */
  jobs: number;
}

type Waiting = Pick<DeliveryDocument, 'eventId' | 'webhookUid' | 'jobUid' | 'jobPage'>;

type OwnedEvent = Pick<EventFacts, '_id' | 'workflowId'>;

/** Deliveries that one workflow has to settle, by event. */
interface Owner {
  workflowId: string | null;
  jobUid: string | null;
  webhookUids: Map<string, string[]>;
}

/**
 * Starts the missing workflows of applications: of pending and retrying deliveries, of events since a time that were
 * never attempted, and of running jobs. For partitions, see `scheduleAllSignals`. A second call starts nothing more.
 * Applications may share a workflow, so all that may share one belong into one call.
 */
export async function startMissing(
  ports: MissingPorts,
  appUids: readonly string[],
  { since, before }: { since: Date; before: Date },
): Promise<StartedAgain> {
  const { store } = ports;
  const owners = new Owners();
  for (const appUid of appUids) {
    await addUnsettled(store, appUid, { owners, before });
    await addUnattempted(store, appUid, { owners, since, before });
  }
  const starts = owners.all.map((owner) => () => startOwner(ports, owner));
  const running = await store.jobs
    .find({ appUid: { $in: [...appUids] }, state: 'running' })
    .toArray();
  const jobs = running.map((job) => async () => {
    // The job may have stopped within its latest page. The deliveries of earlier pages were covered above.
    const { workflowId, ...options } = jobOptions(toStart(job), Math.max(1, job.page));
    const again = { workflowIdReusePolicy } as const;
    return startWorkflow(ports.client, runJobWorkflow, { workflowId, ...again, ...options });
  });
  return {
    waiting: owners.count,
    started: await countTrue(starts),
    jobs: await countTrue(jobs),
  };
}

/** Groups unsettled deliveries by the workflow that has to settle them. */
class Owners {
  readonly #owners = new Map<string, Owner>();
  #unclaimed: Owner | null = null;
  #unclaimedDeliveries = 0;
  count = 0;

  get all(): Owner[] {
    return [...this.#owners.values()];
  }

  add(waiting: Waiting, event: OwnedEvent): void {
    const owner = this.#of(waiting, event);
    const webhookUids = owner.webhookUids.get(event._id) ?? [];
    owner.webhookUids.set(event._id, [...webhookUids, waiting.webhookUid]);
    this.count += 1;
  }

  #of({ jobUid, jobPage }: Waiting, { _id: eventId, workflowId }: OwnedEvent): Owner {
    if (jobUid !== null) {
      return this.#named(jobPageWorkflowId(jobUid, jobPage ?? 0), jobUid);
    }
    if (workflowId !== null) return this.#named(workflowId, null);
    // No workflow has them yet: up to 60 share a new one, so that their retries stay within Temporal's limit.
    const isFull =
      this.#unclaimed?.webhookUids.size === idsPerSearchAttributeMax ||
      this.#unclaimedDeliveries >= deliveriesPerWorkflowMax;
    if (this.#unclaimed === null || (isFull && !this.#unclaimed.webhookUids.has(eventId))) {
      const unclaimed = { workflowId: null, jobUid: null, webhookUids: new Map() };
      this.#owners.set(eventId, unclaimed);
      this.#unclaimed = unclaimed;
      this.#unclaimedDeliveries = 0;
    }
    this.#unclaimedDeliveries += 1;
    return this.#unclaimed;
  }

  #named(workflowId: string, jobUid: string | null): Owner {
    const owner = this.#owners.get(workflowId) ?? { workflowId, jobUid, webhookUids: new Map() };
    this.#owners.set(workflowId, owner);
    return owner;
  }
}

interface Search {
  owners: Owners;
  before: Date;
}

// Deliveries in a partition belong to its own workflow, which the relay signals.
async function addUnsettled(
  store: Store,
  appUid: string,
  { owners, before }: Search,
): Promise<void> {
  for (const state of ['pending', 'retrying'] as const) {
    const found = store.deliveries.find<Waiting>(
      {
        appUid,
        state,
        updatedAt: { $lt: before },
        $or: [{ partition: null }, { jobUid: { $ne: null } }],
      },
      {
        projection: { _id: 0, eventId: 1, webhookUid: 1, jobUid: 1, jobPage: 1 },
        hint: 'appState',
        batchSize,
      },
    );
    for await (const part of inParts(found)) {
      const events = await findFacts(store, part);
      for (const waiting of part) {
        const event = events.get(waiting.eventId);
        if (event !== undefined) owners.add(waiting, event);
      }
    }
  }
}

async function addUnattempted(
  store: Store,
  appUid: string,
  { owners, since, before }: Search & { since: Date },
): Promise<void> {
  const events = store.events.find<EventFacts>(
    {
      appUid,
      _id: { $gte: idAt('evt', since), $lt: idAt('evt', before) },
      event: { $ne: testEventName },
      erasedAt: null,
    },
    { projection: factsOnly, hint: 'app', batchSize },
  );
  for await (const part of inParts(events)) {
    const attempted = await store.deliveries
      .find({ _id: pairsOf(part.map((event) => event._id)) }, { projection: { _id: 1 } })
      .map(({ _id }) => _id)
      .toArray();
    const isAttempted = new Set(attempted);
    for (const event of part) {
      const ordered = new Set(event.order.map(({ webhookUid }) => webhookUid));
      for (const webhookUid of event.webhookUids) {
        const waiting = { eventId: event._id, webhookUid, jobUid: null, jobPage: null };
        if (ordered.has(webhookUid) || isAttempted.has(pairOf(waiting))) continue;
        owners.add(waiting, event);
      }
    }
  }
}

async function findFacts(
  store: Store,
  waiting: readonly Waiting[],
): Promise<Map<string, OwnedEvent>> {
  const ids = [...new Set(waiting.map(({ eventId }) => eventId))];
  const found = await store.events
    .find<OwnedEvent>({ _id: { $in: ids } }, { projection: { workflowId: 1 } })
    .toArray();
  return new Map(found.map((event) => [event._id, event]));
}

async function startOwner(
  { store, client }: MissingPorts,
  { workflowId, jobUid, webhookUids }: Owner,
): Promise<boolean> {
  const found = await store.events
    .find<EventToDispatch>({ _id: { $in: [...webhookUids.keys()] } }, { projection: factsOnly })
    .sort({ _id: 1 })
    .toArray();
  const id = workflowId ?? batchWorkflowId(newId('bat'));
  // The relay may have claimed some of them by now, and starts those.
  const events = workflowId === null ? await claimEvents(store, found, id) : found;
  if (events.length === 0) return false;
  const waiting = events.map((event) => ({
    ...event,
    webhookUids: webhookUids.get(event._id) ?? [],
  }));
  return startWorkflow(client, deliverEventsWorkflow, {
    workflowId: id,
    workflowIdReusePolicy,
    ...deliverEventsOptions(waiting, jobUid === null ? {} : { jobUid }),
  });
}

async function countTrue(starts: readonly (() => Promise<boolean>)[]): Promise<number> {
  let count = 0;
  await forEachLimit(starts, concurrentStarts, async (start) => {
    if (await start()) count += 1;
  });
  return count;
}

async function* inParts<T>(items: AsyncIterable<T>): AsyncGenerator<T[], void> {
  let part: T[] = [];
  for await (const item of items) {
    part.push(item);
    if (part.length < batchSize) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
