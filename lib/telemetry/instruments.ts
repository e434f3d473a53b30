// All instruments of the service. `npm run instruments` writes their table in docs/metrics.md from here.
import type { Meter } from '@opentelemetry/api';
import { Counter, Gauge, Histogram } from './instrument.ts';

// Those of the semantic conventions for HTTP.
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
// Up to the timeout of an attempt, and what it may exceed it by.
const attemptSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5];
// From an immediate start to an outage of hours; 5 s and 300 s are limits of alerts.
const waitSeconds = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

const attemptNumber = '`1`, `2`, `3` or `4+`';
const errorType = 'as in a delivery: `timeout`, `status`, …; absent on success';

/** Every label has few values: no application, tenant, webhook or URL is one. */
export const instruments = {
  httpRequestDuration: new Histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Requests of the API, from their headers to the end of the answer',
    attributes: {
      'http.request.method': 'the method; `_OTHER` for an unknown one',
      'http.route': 'the template of the route; absent where none matched',
      'http.response.status_code': 'the status',
    },
    buckets: requestSeconds,
  }),
  eventsRecorded: new Counter({
    name: 'herald.events.recorded',
    unit: '{event}',
    description: 'Events that were committed',
    attributes: { event: 'its name, such as `agent.created`' },
  }),
  eventsStarted: new Counter({
    name: 'herald.events.started',
    unit: '{event}',
    description: 'Events whose workflow was started',
    attributes: { by: '`dispatch` right after the commit, or `relay`' },
  }),
  dispatchFailures: new Counter({
    name: 'herald.dispatch.failures',
    unit: '{start}',
    description: 'Starts of workflows that failed; the relay repeats them',
    attributes: { by: '`dispatch` or `relay`' },
  }),
  attempts: new Counter({
    name: 'herald.delivery.attempts',
    unit: '{attempt}',
    description: 'Attempts that were made',
    attributes: {
      attempt: attemptNumber,
      state: 'what they made of the delivery: `delivered`, `retrying`, `exhausted`, `blocked`',
      'error.type': errorType,
    },
  }),
  deliveriesEnded: new Counter({
    name: 'herald.deliveries.ended',
    unit: '{delivery}',
    description: 'Deliveries that were settled',
    attributes: { state: '`delivered`, `exhausted`, `blocked` or `cancelled`' },
  }),
  changeToReceipt: new Histogram({
    name: 'herald.delivery.change_to_receipt.duration',
    unit: 's',
    description:
      'From the commit of an event until its first attempt at a webhook sent the request',
    attributes: {},
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
    description: 'Phases of attempts, where they happened',
    attributes: { phase: '`dns`, `connect`, `tls`, or `firstByte` from the sent request on' },
    buckets: attemptSeconds,
  }),
  attemptLateness: new Histogram({
    name: 'herald.delivery.attempt.lateness',
    unit: 's',
    description: 'How much later than it was due an attempt after the first one began',
    attributes: { attempt: attemptNumber },
    buckets: waitSeconds,
  }),
  throttled: new Counter({
    name: 'herald.delivery.throttled',
    unit: '{attempt}',
    description:
      'Attempts that got no permit in time, or have to wait for the rate of their webhook',
    attributes: { limit: '`webhook`, `origin`, `process` or `rate`' },
  }),
  backlogDeliveries: new Gauge({
    name: 'herald.backlog.deliveries',
    unit: '{delivery}',
    description: 'Deliveries still to come, in all; a worker reads it, up to a bound',
    attributes: { state: '`pending`, `retrying` or `held`' },
  }),
  backlogOldestAge: new Gauge({
    name: 'herald.backlog.oldest.age',
    unit: 's',
    description: 'Age of the oldest of these deliveries, from when it was first recorded',
    attributes: { state: '`pending`, `retrying` or `held`' },
  }),
  undispatchedEvents: new Gauge({
    name: 'herald.backlog.undispatched',
    unit: '{event}',
    description: 'Events that no workflow has taken yet, up to a bound',
    attributes: {},
  }),
  undispatchedOldestAge: new Gauge({
    name: 'herald.backlog.undispatched.oldest.age',
    unit: 's',
    description: 'Age of the oldest of these events; 0 without any',
    attributes: {},
  }),
  jobsRunning: new Gauge({
    name: 'herald.jobs.running',
    unit: '{job}',
    description: 'Jobs that are not done, up to a bound',
    attributes: { kind: '`release`, `resend`, `replay` or `erasure`' },
  }),
  jobsOldestAge: new Gauge({
    name: 'herald.jobs.oldest.age',
    unit: 's',
    description: 'Age of the oldest of these jobs',
    attributes: { kind: 'as above' },
  }),
  dependencyUp: new Gauge({
    name: 'herald.dependency.up',
    unit: '1',
    description: '1 where the process reached it at its latest check, else 0',
    attributes: { dependency: '`mongodb` or `temporal`' },
  }),
} as const;

/** Has them count by this meter; by none with null. */
export function connectInstruments(meter: Meter | null): void {
  for (const instrument of Object.values(instruments)) instrument.connect(meter);
}
