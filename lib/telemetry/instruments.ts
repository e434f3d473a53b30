// All instruments of the service. `npm run generate` writes their table in docs/metrics.md.
import type { Meter } from '@opentelemetry/api';
import { jobKinds } from '../model/job.ts';
import { attemptSeconds, databaseSeconds, requestSeconds, waitSeconds } from './buckets.ts';
import { Counter, Gauge, Histogram } from './instrument.ts';

const attemptNumber = '`1`, `2`, `3` or `4+`';
const errorType = 'as in a delivery: `timeout`, `status`, …; absent on success';
const openState = '`pending`, `retrying` or `held`';
const jobKind = jobKinds.map((kind) => `\`${kind}\``).join(', ');
const pool =
  '`requests` to the API; to receivers `process` (all), `application`, `origin` and `webhook` (of any of them)';

/** Every label has few values; none is an application, tenant, webhook or URL. */
export const instruments = {
  httpRequestDuration: new Histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description:
      'Requests of the API, until the response is ready; of the live stream, until it begins',
    attributes: {
      'http.request.method': 'the method; `_OTHER` if it is not standard',
      'http.route': 'the template of the route; absent if none matched',
      'http.response.status_code': 'the status',
    },
    buckets: requestSeconds,
  }),
  eventsRecorded: new Counter({
    name: 'herald.events.recorded',
    unit: '{event}',
    description: 'Committed events, without notices',
    attributes: { event: 'its name, such as `agent.created`' },
  }),
  eventsStarted: new Counter({
    name: 'herald.events.started',
    unit: '{event}',
    description: 'Events whose workflow was started, without notices',
    attributes: { by: '`dispatch` right after the commit, or `relay`' },
    zeros: [{ by: 'dispatch' }, { by: 'relay' }],
  }),
  dispatchFailures: new Counter({
    name: 'herald.dispatch.failures',
    unit: '{start}',
    description: 'Starts of workflows, and signals to them, that failed; the relay repeats them',
    attributes: { by: '`dispatch` or `relay`' },
    zeros: [{ by: 'dispatch' }, { by: 'relay' }],
  }),
  attempts: new Counter({
    name: 'herald.delivery.attempts',
    unit: '{attempt}',
    description: 'Attempts',
    attributes: {
      attempt: attemptNumber,
      state: 'of the delivery after it: `delivered`, `retrying`, `exhausted` or `blocked`',
      'error.type': errorType,
    },
  }),
  changeToReceipt: new Histogram({
    name: 'herald.delivery.change_to_receipt.duration',
    unit: 's',
    description:
      'From an event to the end of the attempt that delivered it, with retries and pauses; without resends and replays',
    attributes: {
      attempt: attemptNumber,
      waited:
        '`yes` if it may have waited for its order, a rate, a job or a permit, and for notices; else absent',
    },
    buckets: waitSeconds,
  }),
  queueDuration: new Histogram({
    name: 'herald.delivery.queue.duration',
    unit: 's',
    description:
      'Delay of an attempt after its due time (of the first, after the event); without attempts that wait for their order, a rate, a job or a permit, and first attempts of notices',
    attributes: { attempt: attemptNumber },
    buckets: waitSeconds,
  }),
  attemptDuration: new Histogram({
    name: 'herald.delivery.attempt.duration',
    unit: 's',
    description: 'Attempts, from DNS to the last byte',
    attributes: { 'error.type': errorType },
    buckets: attemptSeconds,
  }),
  attemptPhaseDuration: new Histogram({
    name: 'herald.delivery.attempt.phase.duration',
    unit: 's',
    description: 'Phases of attempts',
    attributes: { phase: '`dns`, `connect`, `tls`, or `firstByte` after the request was sent' },
    buckets: attemptSeconds,
  }),
  deliveriesUnsent: new Counter({
    name: 'herald.delivery.unsent',
    unit: '{delivery}',
    description: 'Deliveries recorded without an attempt',
    attributes: { state: '`held`, `pending` or `cancelled`' },
  }),
  deliveriesCancelled: new Counter({
    name: 'herald.delivery.cancelled',
    unit: '{delivery}',
    description: 'Open deliveries cancelled by jobs and requests',
    attributes: {
      reason: '`webhook_deleted`, `discarded`, `skipped`, `erased`, `expired` or `abandoned`',
    },
  }),
  throttled: new Counter({
    name: 'herald.delivery.throttled',
    unit: '{attempt}',
    description: 'Postponed attempts',
    attributes: {
      limit:
        '`webhook`: no permit in time; `origin`, `application` or `process`: none before the process stopped; `rate`: the rate of the webhook',
    },
    zeros: ['webhook', 'origin', 'application', 'process', 'rate'].map((limit) => ({ limit })),
  }),
  permitsUsed: new Gauge({
    name: 'herald.permits.used',
    unit: '{permit}',
    description: 'Used permits; overdue requests to receivers count only towards their webhook',
    attributes: { pool },
  }),
  permitsWaiting: new Gauge({
    name: 'herald.permits.waiting',
    unit: '{request}',
    description: 'Requests that wait for a permit',
    attributes: { pool: 'as above' },
  }),
  permitsMax: new Gauge({
    name: 'herald.permits.max',
    unit: '{permit}',
    description: 'Permits in all, of each webhook, origin and application in their pools',
    attributes: { pool: 'as above' },
  }),
  backlogDeliveries: new Gauge({
    name: 'herald.backlog.deliveries',
    unit: '{delivery}',
    description: 'Open deliveries, up to 10,000 in all',
    attributes: { state: openState },
  }),
  backlogOldestAge: new Gauge({
    name: 'herald.backlog.oldest.age',
    unit: 's',
    description:
      'Age of the oldest of these deliveries that no job has, since it was first recorded; 0 without any',
    attributes: { state: openState },
  }),
  overdueDeliveries: new Gauge({
    name: 'herald.backlog.overdue',
    unit: '{delivery}',
    description:
      'Deliveries, up to 10,000, whose retry or rate-limit slot is overdue by more than a minute although their webhook is active and not failing',
    attributes: {},
  }),
  undispatchedEvents: new Gauge({
    name: 'herald.backlog.undispatched',
    unit: '{event}',
    description: 'Events without a started workflow, up to 1,000',
    attributes: {},
  }),
  undispatchedOldestAge: new Gauge({
    name: 'herald.backlog.undispatched.oldest.age',
    unit: 's',
    description: 'Age of the oldest of these events; 0 without any',
    attributes: {},
  }),
  taskQueueSize: new Gauge({
    name: 'herald.task_queue.size',
    unit: '{task}',
    description: 'Tasks that wait in Temporal for a worker, by its estimate',
    attributes: { queue: 'its name, such as `herald-retries`' },
  }),
  taskQueueAge: new Gauge({
    name: 'herald.task_queue.age',
    unit: 's',
    description: 'How long the oldest of these tasks has waited; 0 without any',
    attributes: { queue: 'as above' },
  }),
  relaySweeps: new Counter({
    name: 'herald.relay.sweeps',
    unit: '{sweep}',
    description: 'Sweeps of the relay',
    attributes: { result: '`ok`, or `failed` if it could not read or start anything' },
    zeros: [{ result: 'ok' }, { result: 'failed' }],
  }),
  relayStarted: new Counter({
    name: 'herald.relay.started',
    unit: '{start}',
    description: 'Workflows that sweeps started or signalled',
    attributes: { kind: '`event`, `job` or `partition`' },
    zeros: ['event', 'job', 'partition'].map((kind) => ({ kind })),
  }),
  jobsRunning: new Gauge({
    name: 'herald.jobs.running',
    unit: '{job}',
    description: 'Running jobs, up to 1,000',
    attributes: { kind: jobKind },
  }),
  jobsOldestAge: new Gauge({
    name: 'herald.jobs.oldest.age',
    unit: 's',
    description: 'Age of the oldest of these jobs; 0 without any',
    attributes: { kind: jobKind },
  }),
  jobPages: new Counter({
    name: 'herald.jobs.pages',
    unit: '{page}',
    description: 'Pages of jobs; a repeated page counts again',
    attributes: { kind: `${jobKind}, or \`retention\`` },
    zeros: [...jobKinds, 'retention'].map((kind) => ({ kind })),
  }),
  jobDeliveries: new Counter({
    name: 'herald.jobs.deliveries',
    unit: '{delivery}',
    description: 'Deliveries that these pages send again',
    attributes: { kind: jobKind },
  }),
  retentionDeleted: new Counter({
    name: 'herald.retention.deleted',
    unit: '{document}',
    description: 'Documents that the retention deleted',
    attributes: { what: '`deliveries`, `events`, `jobs` or `auditRows`' },
  }),
  signingKeyFailures: new Counter({
    name: 'herald.signing_keys.failures',
    unit: '{read}',
    description: 'Failures to read, rotate or open the signing keys',
    attributes: {},
    zeros: [{}],
  }),
  tokensNotListed: new Counter({
    name: 'herald.tokens.not_listed',
    unit: '{token}',
    description: "Tokens that lists of users' tokens lack, because their rows were not written",
    attributes: {},
    zeros: [{}],
  }),
  credentialsExpiring: new Gauge({
    name: 'herald.credentials.expiring',
    unit: '{credential}',
    description:
      'Credentials that expire within seven days, or client certificates that have expired, up to 1,000',
    attributes: { kind: '`api_key` or `client_certificate`' },
  }),
  dependencyUp: new Gauge({
    name: 'herald.dependency.up',
    unit: '{dependency}',
    description: '1 if this process reached it at its latest check, else 0',
    attributes: { dependency: '`mongodb` or `temporal`' },
  }),
  clockAhead: new Gauge({
    name: 'herald.clock.ahead',
    unit: 's',
    description: "How far this machine's clock is ahead of MongoDB's; below 0: behind",
    attributes: {},
  }),
  memberClockSpread: new Gauge({
    name: 'herald.mongodb.clock_spread',
    unit: 's',
    description: "Largest difference between the clocks of MongoDB's servers, if there are several",
    attributes: {},
  }),
  databaseDuration: new Histogram({
    name: 'db.client.operation.duration',
    unit: 's',
    description: 'Commands of MongoDB, without the wait for a connection',
    attributes: {
      'db.operation.name': 'the command, such as `find`',
      'error.type': 'the name of the error; absent on success',
    },
    buckets: databaseSeconds,
  }),
  databaseConnections: new Gauge({
    name: 'db.client.connection.count',
    unit: '{connection}',
    description: 'Connections to MongoDB',
    attributes: { 'db.client.connection.state': '`used` or `idle`' },
  }),
  databaseConnectionsMax: new Gauge({
    name: 'db.client.connection.max',
    unit: '{connection}',
    description: 'Maximum connections to each server',
    attributes: {},
  }),
  databaseWaiting: new Gauge({
    name: 'db.client.connection.pending_requests',
    unit: '{request}',
    description: 'Commands that wait for a connection',
    attributes: {},
  }),
} as const;

/** Connects all instruments to a meter; null disconnects them. */
export function connectInstruments(meter: Meter | null): void {
  for (const instrument of Object.values(instruments)) instrument.connect(meter);
}
