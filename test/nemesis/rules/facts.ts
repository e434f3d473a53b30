// A history, indexed for the rules.
import type {
  ChangeCall,
  Fault,
  History,
  JobCall,
  ReceivedRequest,
  Span,
  WebhookHistory,
} from '../history.ts';
import { effectEndMs, mayHaveHappened, overlaps } from './calls.ts';
import { changesOfEvents } from './changes.ts';
import { groupBy, type StoredDelivery, type StoredEvent } from './stored.ts';

/** A delivery, as far as there is anything of it: a document, a recipient of the event, or a request. */
export interface Pair {
  event: StoredEvent;
  webhook: WebhookHistory;
  change: ChangeCall | undefined;
  delivery: StoredDelivery | undefined;
  /** In the order of their arrival. */
  requests: ReceivedRequest[];
}

export interface Facts {
  history: History;
  events: ReadonlyMap<string, StoredEvent>;
  /** The bytes of each event that got a request, as the first one had them. */
  bodies: ReadonlyMap<string, string>;
  webhooks: ReadonlyMap<string, WebhookHistory>;
  webhooksOfApps: ReadonlyMap<string, WebhookHistory[]>;
  webhookAt: ReadonlyMap<string, WebhookHistory>;
  requestsAt: ReadonlyMap<string, ReceivedRequest[]>;
  /** The requests that got a 410, by path. */
  gone: ReadonlyMap<string, ReceivedRequest[]>;
  changeOf: ReadonlyMap<string, ChangeCall>;
  changesOfResources: ReadonlyMap<string, ChangeCall[]>;
  pairs: ReadonlyMap<string, Pair>;
  jobsOfEvents: ReadonlyMap<string, JobCall[]>;
  jobsOfWebhooks: ReadonlyMap<string, JobCall[]>;
  /** In the order of their starts. */
  faults: readonly Fault[];
}

/** What a rule objects to, and what its history is about. */
export interface Finding {
  what: string;
  eventId?: string | undefined;
  webhookUid?: string | undefined;
  resource?: string | undefined;
}

export type Rule = (facts: Facts) => Finding[];

export function factsOf(history: History): Facts {
  const requests = history.requests.toSorted((a, b) => a.atMs - b.atMs);
  const events = new Map(
    (history.documents.events as StoredEvent[]).map((each) => [each._id, each]),
  );
  const bodies = new Map<string, string>();
  for (const { eventId, body } of requests) {
    if (body !== null && !bodies.has(eventId)) bodies.set(eventId, body);
  }
  const jobs = history.jobs.filter(mayHaveHappened);
  const webhooksOfApps = groupBy(history.webhooks, ({ appUid }) => appUid);
  const facts = {
    history,
    events,
    bodies,
    webhooks: new Map(history.webhooks.map((each) => [each.uid, each])),
    webhooksOfApps,
    webhookAt: new Map(history.webhooks.map((each) => [each.path, each])),
    requestsAt: groupBy(requests, ({ path }) => path),
    gone: groupBy(
      requests.filter(({ response }) => response.status === 410),
      ({ path }) => path,
    ),
    changeOf: changesOfEvents(history.changes, [...events.values()], bodies),
    changesOfResources: groupBy(history.changes, resourceOfChange),
    jobsOfEvents: groupBy(jobs, ({ eventId }) => eventId ?? ''),
    jobsOfWebhooks: jobsOfWebhooks(jobs, webhooksOfApps),
    faults: history.faults.toSorted((a, b) => a.startMs - b.startMs),
  };
  return { ...facts, pairs: pairsOf(facts, requests) };
}

export function resourceOf({ appUid, entity, resourceUid }: StoredEvent): string {
  return `${appUid}/${entity}/${resourceUid}`;
}

export function resourceOfChange({ appUid, event, resourceUid }: ChangeCall): string {
  return `${appUid}/${event.split('.')[0]}/${resourceUid}`;
}

function jobsOfWebhooks(
  jobs: readonly JobCall[],
  webhooksOfApps: ReadonlyMap<string, WebhookHistory[]>,
): Map<string, JobCall[]> {
  const of = jobs
    .filter(({ eventId }) => eventId === null)
    .flatMap((job) => {
      const all = (webhooksOfApps.get(job.appUid) ?? []).map(({ uid }) => uid);
      const uids = job.webhookUids.length === 0 ? all : job.webhookUids;
      return uids.map((uid) => ({ uid, job }));
    });
  const groups = groupBy(of, ({ uid }) => uid);
  return new Map([...groups].map(([uid, each]) => [uid, each.map(({ job }) => job)]));
}

type Unpaired = Pick<Facts, 'history' | 'events' | 'webhooks' | 'webhookAt' | 'changeOf'>;

function pairsOf(facts: Unpaired, requests: readonly ReceivedRequest[]): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  const pairOf = (eventId: string, webhook: WebhookHistory | undefined): Pair | undefined => {
    const event = facts.events.get(eventId);
    if (event === undefined || webhook === undefined) return undefined;
    const key = `${eventId}/${webhook.uid}`;
    const found = pairs.get(key);
    if (found !== undefined) return found;
    const change = facts.changeOf.get(eventId);
    const made: Pair = { event, webhook, change, delivery: undefined, requests: [] };
    pairs.set(key, made);
    return made;
  };
  for (const { _id, webhookUids } of facts.events.values()) {
    for (const uid of webhookUids) pairOf(_id, facts.webhooks.get(uid));
  }
  for (const delivery of facts.history.documents.deliveries as StoredDelivery[]) {
    const pair = pairOf(delivery.eventId, facts.webhooks.get(delivery.webhookUid));
    if (pair !== undefined) pair.delivery = delivery;
  }
  for (const request of requests) {
    pairOf(request.eventId, facts.webhookAt.get(request.path))?.requests.push(request);
  }
  return pairs;
}

/** A resend may send while another attempt is in flight; other jobs wait for each other, and run at a rate. */
const resendLastsMs = 5_500;
const jobLastsMs = 120_000;

/** Returns until when a job may take deliveries. */
export function lastsUntilMs(job: JobCall): number {
  const isShort = job.kind === 'resend' || job.kind === 'skip';
  return effectEndMs(job) + (isShort ? resendLastsMs : jobLastsMs);
}

/** Returns the jobs that may have sent, skipped or erased this delivery, in no particular order. */
export function jobsOf(facts: Facts, { event, webhook, change }: Pair): JobCall[] {
  const fromMs = change?.startMs ?? -Infinity;
  const ofEvent = (facts.jobsOfEvents.get(event._id) ?? []).filter(
    ({ webhookUids }) => webhookUids.length === 0 || webhookUids.includes(webhook.uid),
  );
  const ofWebhook = facts.jobsOfWebhooks.get(webhook.uid) ?? [];
  // Only a sync selects events that were recorded after its call.
  return [...ofEvent, ...ofWebhook].filter(
    (job) => (job.kind === 'sync' ? lastsUntilMs(job) : effectEndMs(job)) >= fromMs,
  );
}

/** Returns the jobs that may have sent the delivery again. */
export function resendsOf(facts: Facts, pair: Pair): JobCall[] {
  return jobsOf(facts, pair).filter(({ kind }) => kind !== 'skip' && kind !== 'erasure');
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The service waits 5 s for a status; on a busy machine, the request arrives up to 1.5 s after its beginning. */
const timeoutMs = 5_000 - 1_500;

/** Returns the time before which the service cannot have known how the request ended. */
export function endedMs({ atMs, response }: ReceivedRequest): number {
  return Math.min(response.atMs, atMs + timeoutMs);
}

const slowMs = 4_000;

/** A fault may have used up the 4 s in which only one process makes the first attempts. */
const claimMs = 5_000;

/** Returns why the service may not have recorded the response to a request before that time, or null. */
export function lossOf(
  { faults }: Facts,
  { atMs, response }: ReceivedRequest,
  beforeMs = Infinity,
): string | null {
  if (response.isCut === true || response.status === null) return 'cut by the receiver';
  if (response.atMs - atMs > slowMs) return 'slow response';
  const near = { startMs: atMs - claimMs, endMs: Math.min(response.atMs + 15_000, beforeMs) };
  const fault = faults.findLast((each) => overlaps(each, near) && each.target !== 'callers');
  return fault === undefined ? null : `${fault.name} ${fault.target.replaceAll(/-\d+/g, '')}`;
}

/** Checks whether a process that sends requests was frozen at a moment of the span. */
export function wasFrozen({ faults }: Facts, span: Span): boolean {
  return faults.some((each) => isOfSender(each) && overlaps(each, span));
}

export function isOfSender({ name, target }: Fault): boolean {
  return name === 'frozen' && /^(api|worker)/.test(target);
}
