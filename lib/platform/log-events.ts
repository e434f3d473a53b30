// All events of the log. `npm run generate` writes their table in docs/observing.md from here.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export interface LogEvent {
  levels: readonly LogLevel[];
  /** When it is logged, and what to do, if anything. */
  text: string;
  /** Separated by spaces, without those that docs/observing.md names for all lines. */
  fields?: string;
}

/** By the subject that stands in each line, and by their names. */
export const logEvents = {
  process: {
    'process.starting': {
      levels: ['info'],
      text: 'The process has read its settings; the line has them, without secrets.',
    },
    'process.listening': {
      levels: ['info'],
      text: 'The api accepts connections.',
      fields: 'port',
    },
    'metrics.listening': {
      levels: ['info'],
      text: 'The page of metrics is served.',
      fields: 'metricsPort',
    },
    'process.ready': { levels: ['info'], text: 'All checks passed.' },
    'process.stopping': {
      levels: ['info'],
      text: 'The process was asked to stop.',
      fields: 'reason',
    },
    'process.stopped': { levels: ['info'], text: 'It stopped in order.', fields: 'reason' },
    'process.failed': {
      levels: ['fatal'],
      text: 'It ends with code 1. Fix the setting or the server that the line names.',
      fields: 'message reason',
    },
    'systemd.notify_failed': {
      levels: ['warn'],
      text: 'systemd could not be notified. Install `systemd-notify`.',
    },
    'log.dropped': {
      levels: ['warn'],
      text: 'Lines were dropped because the log was read too slowly.',
      fields: 'count',
    },
    'clock.differs': {
      levels: ['warn'],
      text: "This machine's clock is a second or more ahead of MongoDB's (negative: behind). Set both by NTP.",
      fields: 'aheadMs',
    },
    'clock.not_measured': {
      levels: ['warn'],
      text: "MongoDB's clock could not be measured; the last measurement is used.",
    },
    'telemetry.sdk': {
      levels: ['warn'],
      text: 'OpenTelemetry could not send; nothing else is affected. One line in 30 s, with the number of faults.',
      fields: 'message detail count',
    },
    'telemetry.not_flushed': {
      levels: ['warn'],
      text: 'A stopping process could not send its last metrics or traces.',
    },
    'telemetry.not_collected': {
      levels: ['warn'],
      text: 'A figure is missing on the page of metrics.',
    },
    'retention.deleted': {
      levels: ['info'],
      text: 'What a batch of the retention deleted, cancelled because it was held too long (`expired`), or released again (`releases`), and for how many API keys it reported that they expire soon (`expiringKeys`).',
      fields: 'expired deliveries events jobs auditRows releases expiringKeys',
    },
  },
  http: {
    'request.completed': {
      levels: ['info', 'error', 'debug'],
      text: 'A request was handled: error for 5xx; debug for probes and for 503 `overloaded`. `path` only where no route matches.',
      fields:
        'requestId method route path status code fault appUid keyId adminUid remoteAddress durationMs',
    },
    'request.refused': {
      levels: ['info'],
      text: 'A message was not HTTP.',
      fields: 'requestId status code',
    },
    'request.faulted': {
      levels: ['error'],
      text: 'A fault outside the handling of a request.',
    },
    'trusted_proxy.missing': {
      levels: ['warn'],
      text: 'A forwarded request came while `HERALD_TRUSTED_PROXY_HOPS` is 0, so all callers behind that proxy share its address. Once per process.',
      fields: 'remoteAddress advice',
    },
    'oidc.refused': {
      levels: ['warn'],
      text: 'A sign-in through the identity provider failed; the caller does not learn the reason.',
      fields: 'requestId reason',
    },
    'sign_in_failure.record_failed': {
      levels: ['warn'],
      text: "An admin's sign-in was refused, but the audit log could not count it.",
      fields: 'requestId',
    },
    'last_used.update_failed': {
      levels: ['warn'],
      text: 'The last use of a key or session was not recorded; the call went on.',
      fields: 'uid',
    },
    'load.shed': {
      levels: ['warn'],
      text: 'Requests were refused in the last second; `running` and `waiting` now, and how late timers are. If it continues, start more api processes.',
      fields: 'refused running waiting lateMs',
    },
    'rate_limit.sync_failed': {
      levels: ['warn'],
      text: 'MongoDB is unavailable, so each process limits only its own callers. Once per outage.',
      fields: 'limit',
    },
    'connections.dropped': {
      levels: ['warn'],
      text: 'Connections were closed in the last second because there were too many.',
      fields: 'dropped connectionsMax',
    },
    'connections.refused': {
      levels: ['warn'],
      text: 'Connections were closed because their address has its share; `remoteAddress` is the last one. A client leaks connections, or `HERALD_TRUSTED_PROXY_HOPS` misses a proxy. At most once a minute.',
      fields: 'refused remoteAddress connectionsPerAddressMax',
    },
  },
  stream: {
    'stream.closed': {
      levels: ['info'],
      text: 'A [live stream](api.md#the-live-stream) ended; reason `left`: its reader closed it.',
      fields: 'appUid keyUid adminUid reason sent durationMs',
    },
    'feed.interrupted': {
      levels: ['warn'],
      text: 'MongoDB is unavailable; the streams wait and lose nothing.',
    },
    'feed.failed': {
      levels: ['error'],
      text: 'The change stream cannot continue; the streams end, and their readers continue from the stored events.',
    },
    'feed.not_closed': {
      levels: ['warn'],
      text: 'The change stream was not closed cleanly.',
    },
    'reader.resumed_from_store': {
      levels: ['info'],
      text: "The oplog no longer has a reader's position, so it gets stored events again, from 3 minutes before it was cut off.",
    },
    'reader.interrupted': {
      levels: ['warn'],
      text: 'One stream ended; its reader continues from its last id.',
    },
    'streams.not_checked': {
      levels: ['warn'],
      text: 'The keys of the streams could not be checked; repeated after 2 s.',
    },
  },
  delivery: {
    'delivery.attempted': {
      levels: ['info', 'warn'],
      text: 'An attempt was made: warn when the delivery ended as `exhausted` or `blocked`.',
      fields:
        'eventType host attempt trigger state status errorClass detail cause durationMs nextAttemptAt',
    },
    'delivery.throttled': {
      levels: ['info', 'debug'],
      text: 'There was no permit in time, or the process is stopping; retried seconds later. Debug after the first line of a delivery.',
      fields: 'host',
    },
    'delivery.not_sent': {
      levels: ['info'],
      text: 'The delivery is `held`; or `cancelled`, because the webhook is deleted or no longer subscribed, or the event was discarded or erased.',
      fields: 'state',
    },
    'delivery.event_missing': {
      levels: ['warn'],
      text: 'The event is not in the database, for example after an older backup was restored; the delivery is cancelled.',
    },
    'delivery.superseded': {
      levels: ['warn'],
      text: 'Two processes made the same attempt, or a job took the delivery meanwhile. If it continues, workers lack processor time.',
      fields: 'n',
    },
    'delivery.triggers_not_written': {
      levels: ['warn'],
      text: '`lastTriggeredAt` of webhooks was not written; the next attempt writes it.',
    },
    'early_attempt.failed': {
      levels: ['warn'],
      text: 'An early first attempt met a fault of our own; its workflow repeats it.',
    },
    'webhook.certificate_expires': {
      levels: ['warn'],
      text: 'A client certificate expires within 14 days. Once a day per process.',
      fields: 'notAfter',
    },
    'webhook.failing': {
      levels: ['warn'],
      text: 'A webhook is failing.',
    },
    'webhook.deactivation_scheduled': {
      levels: ['warn'],
      text: 'A failing webhook will be deactivated.',
    },
    'webhook.deactivated': {
      levels: ['warn'],
      text: 'The service deactivated a webhook (`gone` or `failing`); the audit log has a row.',
      fields: 'disabledReason',
    },
    'webhook.recovered': {
      levels: ['info'],
      text: 'A failing webhook works again.',
    },
    'activity.faulted': {
      levels: ['error'],
      text: 'A fault of our own, such as no open files left (`ulimit -n`). It is retried.',
      fields: 'activityType activityId',
    },
    'activity.interrupted': {
      levels: ['info'],
      text: 'Cut off because the process stops (`WORKER_SHUTDOWN`), or because Temporal cancelled the work or gave it to another process.',
      fields: 'activityType activityId reason',
    },
  },
  dispatch: {
    'dispatch.failed': {
      levels: ['warn'],
      text: 'The workflow of a job or of `count` events was not started; the relay starts it, and those of `left` waiting events.',
      fields: 'appUid eventId jobUid count left',
    },
    'dispatch.not_marked': {
      levels: ['warn'],
      text: 'MongoDB did not take the marks of `count` events whose workflows were started; the relay marks them.',
      fields: 'count',
    },
    'overtaken.signal_failed': {
      levels: ['warn'],
      text: 'Workflows could not be signalled that a job took their deliveries; they end when their retry is due.',
      fields: 'count',
    },
  },
  relay: {
    'relay.swept': {
      levels: ['info'],
      text: 'How many events, jobs and partitions the relay started or signalled, and how many workflows it could not start. If it continues, the api cannot start workflows.',
      fields: 'started failed',
    },
    'relay.start_failed': {
      levels: ['warn'],
      text: 'A workflow of `count` events was not started or signalled; it does not delay others.',
      fields: 'appUid eventId jobUid partition count',
    },
    'relay.backing_off': {
      levels: ['warn'],
      text: 'The relay could start nothing, because MongoDB or Temporal is unavailable.',
      fields: 'waitMs',
    },
  },
  statistics: {
    'statistics.backing_off': {
      levels: ['warn'],
      text: 'Counting waits; nothing is lost.',
      fields: 'waitMs',
    },
    'metrics.not_read': {
      levels: ['warn'],
      text: 'The backlog could not be read for the metrics.',
    },
  },
  token: {
    'signing_key.created': {
      levels: ['info'],
      text: 'A signing key was added.',
      fields: 'keyId generation signsFrom',
    },
    'signing_key.removed': {
      levels: ['info'],
      text: 'A signing key was deleted.',
      fields: 'keyId',
    },
    'signing_keys.read_failed': {
      levels: ['warn'],
      text: 'The signing keys could not be read: no tokens are issued, and the public keys are published as last read, for 20 minutes.',
    },
  },
  temporal: {
    'temporal.sdk': {
      levels: ['warn', 'error'],
      text: "A line of Temporal's SDK.",
      fields: 'message',
    },
  },
} as const satisfies Record<string, Record<string, LogEvent>>;

export type LogSubject = keyof typeof logEvents;

type NamesOf<Subject extends LogSubject, Level extends LogLevel> = {
  [Name in keyof (typeof logEvents)[Subject]]: (typeof logEvents)[Subject][Name] extends {
    levels: readonly (infer Known)[];
  }
    ? Level extends Known
      ? Name
      : never
    : never;
}[keyof (typeof logEvents)[Subject]];

/** Takes the events of its subject, each at its levels. */
export type Log<Subject extends LogSubject> = {
  [Level in LogLevel]: (fields: object, name: NamesOf<Subject, Level>) => void;
};
