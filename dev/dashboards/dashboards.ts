// The dashboards of an operator.
import type { Dashboard, Panel } from './dashboard.ts';

const range = '[$__rate_interval]';

function quantiles(histogram: string, by = ''): Panel['queries'] {
  return Object.fromEntries(
    [0.5, 0.95, 0.99].map((quantile) => [
      `p${quantile * 100}`,
      `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket${by}${range})))`,
    ]),
  );
}

function rateBy(counter: string, label: string): Panel['queries'] {
  return { [`{{${label}}}`]: `sum by (${label}) (rate(${counter}${range}))` };
}

function gaugeBy(gauge: string, label: string): Panel['queries'] {
  return { [`{{${label}}}`]: `max by (${label}) (${gauge})` };
}

const receipt = 'herald_delivery_change_to_receipt_duration_seconds';
const unhindered = '{attempt="1",waited=""}';

const overview: Dashboard = {
  uid: 'herald-overview',
  title: 'agent-herald: overview',
  panels: [
    {
      title: 'Alerts that fire',
      description: 'docs/runbooks.md says what to do about each.',
      unit: 'short',
      queries: {
        '{{alertname}}': 'count by (alertname) (ALERTS{alertname=~"Herald.*",alertstate="firing"})',
      },
    },
    {
      title: 'Late deliveries',
      description:
        'The share that took longer than 5 s, of those that arrived at the first attempt and had nothing to wait for. The objective is 0.1 %.',
      unit: 'percentunit',
      queries: {
        '5 minutes': 'herald:deliveries_late:ratio_rate5m',
        'an hour': 'herald:deliveries_late:ratio_rate1h',
        '6 hours': 'herald:deliveries_late:ratio_rate6h',
      },
    },
    {
      title: 'Events recorded',
      description: 'Committed changes a second, by event.',
      unit: 'ops',
      queries: rateBy('herald_events_recorded_total', 'event'),
    },
    {
      title: 'Change to receipt',
      description: 'From a change to its arrival at the first attempt, with nothing to wait for.',
      unit: 's',
      queries: quantiles(receipt, unhindered),
    },
    {
      title: 'Requests by status',
      description: 'Answers of the API a second.',
      unit: 'ops',
      queries: rateBy('http_server_request_duration_seconds_count', 'http_response_status_code'),
    },
    {
      title: 'Time to answer',
      description: 'Requests of the API.',
      unit: 's',
      queries: quantiles('http_server_request_duration_seconds'),
    },
    {
      title: 'Deliveries to come',
      description: 'Up to 10,000 are counted of each state.',
      unit: 'short',
      queries: gaugeBy('herald_backlog_deliveries', 'state'),
    },
    {
      title: 'Servers reached',
      description: '1 while every process reaches the server, 0 while one does not.',
      unit: 'bool',
      queries: { '{{dependency}}': 'min by (dependency) (herald_dependency_up)' },
    },
  ],
};

const delivery: Dashboard = {
  uid: 'herald-delivery',
  title: 'agent-herald: delivery',
  panels: [
    {
      title: 'Attempts by outcome',
      description: 'What attempts a second made of their deliveries.',
      unit: 'ops',
      queries: rateBy('herald_delivery_attempts_total', 'state'),
    },
    {
      title: 'Attempts by number',
      description: 'First attempts, and how many retries there are beside them.',
      unit: 'ops',
      queries: rateBy('herald_delivery_attempts_total', 'attempt'),
    },
    {
      title: 'Start of first attempts',
      description: 'How much later than the change they began: the part that is the service alone.',
      unit: 's',
      queries: quantiles('herald_delivery_queue_duration_seconds', '{attempt="1"}'),
    },
    {
      title: 'Duration of attempts',
      description: 'Mostly the receivers.',
      unit: 's',
      queries: quantiles('herald_delivery_attempt_duration_seconds'),
    },
    {
      title: 'Phases of attempts, p95',
      description:
        'Where the time of attempts goes; a kept connection has neither dns, connect nor tls.',
      unit: 's',
      queries: {
        '{{phase}}': `histogram_quantile(0.95, sum by (le, phase) (rate(herald_delivery_attempt_phase_duration_seconds_bucket${range})))`,
      },
    },
    {
      title: 'Throttled',
      description: 'Attempts a second that were put off, by the limit that did it.',
      unit: 'ops',
      queries: rateBy('herald_delivery_throttled_total', 'limit'),
    },
    {
      title: 'Oldest delivery',
      description: 'The age of the oldest in each state; held ones wait for a resume.',
      unit: 's',
      queries: gaugeBy('herald_backlog_oldest_age_seconds', 'state'),
    },
    {
      title: 'Jobs',
      description: 'Releases, resends, replays and erasures that run.',
      unit: 'short',
      queries: gaugeBy('herald_jobs_running', 'kind'),
    },
  ],
};

const failures: Dashboard = {
  uid: 'herald-failures',
  title: 'agent-herald: failing webhooks',
  panels: [
    {
      title: 'Failed attempts by error',
      description:
        'Of all webhooks together: no metric names one, of which there may be any number. The console lists the failing webhooks of an application, and shows the attempts and durations of each; GET …/stats/deliveries?webhookUid= has the figures.',
      unit: 'ops',
      queries: {
        '{{error_type}}': `sum by (error_type) (rate(herald_delivery_attempts_total{error_type!=""}${range}))`,
      },
    },
    {
      title: 'Share of attempts that fail',
      description:
        'One failing webhook shows as a small constant share; a fault of your own network as most of it.',
      unit: 'percentunit',
      queries: {
        failed: `sum(rate(herald_delivery_attempts_total{error_type!=""}${range})) / sum(rate(herald_delivery_attempts_total${range}))`,
      },
    },
    {
      title: 'Given up',
      description:
        'Deliveries a second that were exhausted or blocked. A recovery or a replay sends them again.',
      unit: 'ops',
      queries: {
        '{{state}}': `sum by (state) (rate(herald_delivery_attempts_total{state=~"exhausted|blocked"}${range}))`,
      },
    },
    {
      title: 'Waiting for a retry or a resume',
      description: 'Deliveries to failing and to paused webhooks.',
      unit: 'short',
      queries: {
        '{{state}}': 'max by (state) (herald_backlog_deliveries{state=~"retrying|held"})',
      },
    },
  ],
};

const engine: Dashboard = {
  uid: 'herald-engine',
  title: 'agent-herald: engine room',
  panels: [
    {
      title: 'Workflows started',
      description: 'By the api right after the commit, or by the relay.',
      unit: 'ops',
      queries: rateBy('herald_events_started_total', 'by'),
    },
    {
      title: 'Failed starts',
      description: 'Starts and signals a second that failed; the relay repeats them.',
      unit: 'ops',
      queries: rateBy('herald_dispatch_failures_total', 'by'),
    },
    {
      title: 'Tasks that wait',
      description: "The age of the oldest task of each of Temporal's queues.",
      unit: 's',
      queries: gaugeBy('herald_task_queue_age_seconds', 'queue'),
    },
    {
      title: 'Delay of the event loop, p99',
      description: 'How late timers come; half a second for two minutes is an alert.',
      unit: 's',
      queries: { '{{job}} {{instance}}': 'nodejs_eventloop_delay_p99_seconds' },
    },
    {
      title: 'Permits in use',
      description:
        'In the process that holds most. Those of all webhooks, and of all origins, are added up: their limit is of each.',
      unit: 'short',
      queries: gaugeBy('herald_permits_used', 'pool'),
    },
    {
      title: 'Waiting for a permit',
      description: 'Requests to the API and to receivers.',
      unit: 'short',
      queries: gaugeBy('herald_permits_waiting', 'pool'),
    },
    {
      title: 'Commands of MongoDB, p95',
      description: 'By command, without the wait for a connection.',
      unit: 's',
      queries: {
        '{{db_operation_name}}': `histogram_quantile(0.95, sum by (le, db_operation_name) (rate(db_client_operation_duration_seconds_bucket${range})))`,
      },
    },
    {
      title: 'Connections to MongoDB',
      description: 'Of all processes.',
      unit: 'short',
      queries: {
        '{{db_client_connection_state}}':
          'sum by (db_client_connection_state) (db_client_connection_count)',
        waiting: 'sum(db_client_connection_pending_requests)',
      },
    },
    {
      title: 'Heap',
      description: 'Memory of JavaScript in use, by process.',
      unit: 'bytes',
      queries: { '{{job}} {{instance}}': 'sum by (job, instance) (v8js_memory_heap_used_bytes)' },
    },
    {
      title: 'Deleted by the retention',
      description: 'Documents a second; it runs each hour.',
      unit: 'ops',
      queries: rateBy('herald_retention_deleted_total', 'what'),
    },
  ],
};

export const dashboards: readonly Dashboard[] = [overview, delivery, failures, engine];
