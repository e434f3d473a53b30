// Small histories for the tests of the judge: right ones, of which a test makes one thing wrong.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { deliveryHeaders } from '../../../lib/deliveries/compose-message.ts';
import type { EventToAttempt } from '../../../lib/model/event.ts';
import { judge } from '../../nemesis/judge.ts';
import type {
  CallOutcome,
  ChangeCall,
  Fault,
  History,
  JobCall,
  ReceivedRequest,
  SecretCall,
  SettingsCall,
  WebhookHistory,
  WebhookSettings,
} from '../../nemesis/history.ts';
import type { StoredDelivery, StoredEvent } from '../../nemesis/rules/stored.ts';

const appUid = 'app_1';
export const scheduleMs = [1_000, 5_000];
const settings: WebhookSettings = {
  active: true,
  entities: ['agent'],
  group: null,
  ordering: 'parallel',
  retryScheduleMs: scheduleMs,
  ratePerSecond: null,
  signatures: ['v1'],
};

/** An accepted call of 10 ms. */
export function called(startMs: number, outcome: CallOutcome = 'accepted') {
  return { appUid, startMs, endMs: startMs + 10, outcome };
}

export const secretOf = (name: string): string => `whsec_${Buffer.from(name).toString('base64')}`;

export interface Scene {
  history: History;
  /** Also of other applications, if it is changed right after. */
  webhook: (uid: string, made?: Partial<WebhookSettings>) => WebhookHistory;
  set: (webhook: WebhookHistory, atMs: number, made: Partial<SettingsCall>) => void;
  /** A change at a time with its event for all webhooks so far, and their requests, by the statuses. */
  change: (atMs: number, statuses?: (number | null)[], made?: Partial<ChangeCall>) => Made;
  /** Sends an event once more, 20 ms after the time. */
  send: (made: Made, atMs: number, given?: Partial<ReceivedRequest> & Signing) => ReceivedRequest;
}

/** The secret of `X-Webhook-Signature`, then those of `webhook-signature`, and the key of `v1a`. */
interface Signing {
  by?: string[];
  key?: KeyObject;
}

export interface Made {
  change: ChangeCall;
  event: StoredEvent;
  deliveries: StoredDelivery[];
  requests: ReceivedRequest[];
}

export const { publicKey, privateKey } = generateKeyPairSync('ed25519');

export function scene(): Scene {
  const documents = { readAtMs: 1e6, events: [], deliveries: [], jobs: [], partitions: [] };
  const lists = { changes: [], webhooks: [], jobs: [], requests: [], tokens: [], reads: [] };
  const publicKeys = new Map([[appUid, [publicKey.export({ format: 'jwk' }) as Jwk]]]);
  const apps = { quietAppUid: appUid, appUids: [appUid] };
  const history: History = {
    seed: 1,
    startMs: 0,
    ...apps,
    ...lists,
    faults: [],
    publicKeys,
    documents,
  };
  const made: Scene = {
    history,
    webhook: (uid, own) => {
      const created = { ...called(0), settings: { ...settings, ...own }, discards: false };
      const secret = { ...called(0), secret: secretOf('old'), kind: 'created' as const };
      const of = { settings: [created], secrets: [secret], deletions: [] };
      history.webhooks.push({ uid, appUid, path: `/${uid}`, ...of });
      return history.webhooks.at(-1) as WebhookHistory;
    },
    set: (webhook, atMs, own) => {
      webhook.settings.push({ ...called(atMs), settings, discards: false, ...own });
    },
    change: (atMs, statuses = [200], own = {}) => record(made, atMs, { statuses, own }),
    send: (each, atMs, given = {}) => send(made, each, { atMs, ...given }),
  };
  return made;
}

type Jwk = Record<string, unknown>;
interface Wanted {
  statuses: (number | null)[];
  own: Partial<ChangeCall>;
}

function record(scene: Scene, atMs: number, { statuses, own }: Wanted): Made {
  const { history } = scene;
  const n = history.changes.length + 1;
  const names = { event: 'agent.updated', resourceUid: 'agt_1', externalTenantId: 'tenant-1' };
  const kept = { ...called(atMs), ...names, mark: `m-${n}`, eventId: null, group: null };
  const change: ChangeCall = { ...kept, ...own };
  history.changes.push(change);
  const sequence = history.changes.filter((each) => each.resourceUid === change.resourceUid).length;
  const eventId = change.eventId ?? `evt_${n}`;
  const data = { agentName: change.mark };
  const event: StoredEvent = {
    _id: eventId,
    appUid: change.appUid,
    event: change.event,
    entity: String(change.event.split('.')[0]),
    resourceUid: String(change.resourceUid),
    externalTenantId: change.externalTenantId,
    sequence,
    order: history.webhooks
      .filter((each) => each.settings[0]?.settings.ordering === 'resource')
      .map(({ uid }) => ({ webhookUid: uid })),
    body: JSON.stringify({ eventId, appUid: change.appUid, data, sequence }),
    erasedAt: null,
    webhookUids: history.webhooks.map(({ uid }) => uid),
  };
  history.documents.events.push(event);
  const made: Made = { change, event, deliveries: [], requests: [] };
  for (const webhook of history.webhooks) {
    let nextMs = atMs + 20;
    for (const [index, status] of statuses.entries()) {
      const path = webhook.path;
      const request = { path, attempt: index + 1, response: { status, atMs: nextMs + 10 } };
      made.requests.push(scene.send(made, nextMs, request));
      nextMs += 10 + (scheduleMs[index] ?? 0);
    }
    const delivery: StoredDelivery = {
      appUid: change.appUid,
      eventId,
      webhookUid: webhook.uid,
      state: (statuses.at(-1) ?? 0) < 300 ? 'delivered' : 'exhausted',
      cancelReason: null,
      attemptCount: statuses.length,
      scheduleFrom: 0,
      attempts: statuses.map((status, index) => ({ n: index + 1, status })),
    };
    made.deliveries.push(delivery);
    history.documents.deliveries.push(delivery);
  }
  return made;
}

type Given = Partial<ReceivedRequest> & Signing & { atMs: number };

/** The headers are those of the service itself. */
function send({ history }: Scene, { event }: Made, { by, key, ...given }: Given): ReceivedRequest {
  const [ofBody = '', ...standard] = by ?? ['old', 'old'];
  const path = given.path ?? String(history.webhooks[0]?.path);
  const attempt = given.attempt ?? 1;
  const isFirst = !history.requests.some(({ eventId }) => eventId === event._id);
  const headers = deliveryHeaders({
    event: event as unknown as EventToAttempt,
    body: event.body,
    webhookUid: path.slice(1),
    isSync: false,
    secrets: { body: secretOf(ofBody), standard: standard.map(secretOf) },
    signingKey: key ?? null,
    attemptNumber: attempt,
    attemptsLeft: 0,
    now: new Date(given.atMs),
  });
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const request: ReceivedRequest = {
    path,
    eventId: event._id,
    attempt,
    headers: Object.fromEntries(named) as Record<string, string>,
    body: isFirst ? event.body : null,
    response: { status: 200, atMs: given.atMs + 10 },
    ...given,
  };
  history.requests.push(request);
  return request;
}

export const job = (kind: JobCall['kind'], atMs: number, made: Partial<JobCall> = {}): JobCall => ({
  ...called(atMs),
  kind,
  webhookUids: [],
  eventId: null,
  externalTenantId: null,
  ...made,
});

export const secret = (kind: SecretCall['kind'], atMs: number, name?: string): SecretCall => ({
  ...called(atMs),
  kind,
  secret: name === undefined ? null : secretOf(name),
});

export const fault = (startMs: number, endMs: number, name = 'killed'): Fault => ({
  startMs,
  endMs,
  name,
  target: 'api-1',
});

/** A case: a right history; with `wrong`, what its smallest fault violates. */
export type Case = [title: string, make: (scene: Scene) => void, violated?: string];

/** Returns the rules that the history violates, each once. */
export function violatedBy(make: (scene: Scene) => void): string[] {
  const made = scene();
  make(made);
  return [...new Set(judge(made.history).violations.map(({ rule }) => rule))];
}
