// All log events. `npm run generate` writes their table in docs/observing.md.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export interface LogEvent<Level extends LogLevel = LogLevel> {
  levels: readonly Level[];
  /** When it is logged, and what to do, if anything. */
  text: string;
  /** Separated by spaces, without the fields of all lines that docs/observing.md lists. */
  fields: string;
}

function at<Level extends LogLevel>(
  levels: readonly Level[],
  text: string,
  fields = '',
): LogEvent<Level> {
  return { levels, text, fields };
}

/** Log events by the subject in each line, then by name. */
export const logEvents = {
  process: {
    'process.starting': at(
      ['info'],
      'The process has read its settings; the line has them, without secrets.',
    ),
    'process.listening': at(['info'], 'The api accepts connections.', 'port'),
    'metrics.listening': at(['info'], 'The page of metrics is served.', 'metricsPort'),
    'process.ready': at(['info'], 'All checks passed.'),
    'process.stopping': at(['info'], 'The process was asked to stop.', 'reason'),
    'process.stopped': at(['info'], 'It stopped in order.', 'reason'),
    'process.failed': at(
      ['fatal'],
      'It ends with code 1. Fix the setting or the server that the line names.',
      'message reason',
    ),
    'systemd.notify_failed': at(
      ['warn'],
      'systemd could not be notified. Install `systemd-notify`.',
    ),
    'log.dropped': at(['warn'], 'Lines were dropped because the log was read too slowly.', 'count'),
    'clock.differs': at(
      ['warn'],
      "This machine's clock is a second or more ahead of MongoDB's (negative: behind). Set both by NTP.",
      'aheadMs',
    ),
    'clock.members_differ': at(
      ['warn'],
      "The clocks of two of MongoDB's servers differ by a second or more, or no longer do. Set them by NTP before the next failover ([running.md](running.md#clocks)).",
      'spreadMs ahead behind',
    ),
    'clock.not_measured': at(
      ['warn'],
      "MongoDB's clock could not be measured; the last measurement is used.",
    ),
    'telemetry.sdk': at(
      ['warn'],
      'OpenTelemetry could not send; nothing else is affected. One line in 30 s, with the number of faults.',
      'message detail count',
    ),
    'telemetry.not_flushed': at(
      ['warn'],
      'A stopping process could not send its last metrics or traces.',
    ),
    'telemetry.not_collected': at(['warn'], 'A figure is missing on the page of metrics.'),
    'retention.deleted': at(
      ['info'],
      'What a batch of the retention deleted, cancelled because it was held too long (`expired`), or released again (`releases`), and what it reported: API keys that expire soon (`expiringKeys`) and context files that have been processing for too long (`overdueFiles`).',
      'expired deliveries events jobs auditRows releases expiringKeys overdueFiles',
    ),
  },
  http: {
    'request.completed': at(
      ['info', 'error', 'debug'],
      'A request was handled: error for 5xx; debug for probes and for 503 `overloaded`. `path` only where no route matches.',
      'requestId method route path status code fault appUid keyId adminUid remoteAddress durationMs',
    ),
    'request.refused': at(['info'], 'A message was not HTTP.', 'requestId status code'),
    'request.faulted': at(['error'], 'A fault that no handler of a request caught.'),
    'trusted_proxy.missing': at(
      ['warn'],
      'A forwarded request came while `HERALD_TRUSTED_PROXY_HOPS` is 0, so all callers behind that proxy share its address. Once per process.',
      'remoteAddress advice',
    ),
    'oidc.refused': at(
      ['warn'],
      'A sign-in through the identity provider failed; the caller does not learn the reason. With `step`, the provider or its response is the reason.',
      'requestId reason issuer step code status',
    ),
    'oidc.failed': at(
      ['warn'],
      'No sign-in through the identity provider works: it is unavailable or refuses the settings. `step` is `discovery` (check `HERALD_OIDC_ISSUER`), `token` (check the client ID and secret) or `userinfo`.',
      'requestId issuer step code status',
    ),
    'sign_in_failure.record_failed': at(
      ['warn'],
      "An admin's sign-in was refused, but the audit log could not count it.",
      'requestId',
    ),
    'last_used.update_failed': at(
      ['warn'],
      'The last use of a key or session was not recorded; the call went on.',
      'uid',
    ),
    'load.shed': at(
      ['warn'],
      'Requests were refused in the last second; `running` and `waiting` now, and how late timers are. If it continues, start more api processes.',
      'refused running waiting lateMs',
    ),
    'rate_limit.sync_failed': at(
      ['warn'],
      'MongoDB is unavailable, so each process limits only its own callers. Once per outage.',
      'limit',
    ),
    'connections.dropped': at(
      ['warn'],
      'Connections were closed in the last second because there were too many.',
      'dropped connectionsMax',
    ),
    'connections.refused': at(
      ['warn'],
      'Connections were closed because their address has its share; `remoteAddress` is the last one. A client leaks connections, or `HERALD_TRUSTED_PROXY_HOPS` misses a proxy. At most once a minute.',
      'refused remoteAddress connectionsPerAddressMax',
    ),
  },
  stream: {
    'stream.closed': at(
      ['info'],
      'A [live stream](api.md#the-live-stream) ended; reason `left`: its reader closed it.',
      'appUid keyUid adminUid reason sent durationMs',
    ),
    'feed.interrupted': at(['warn'], 'MongoDB is unavailable; the streams wait and lose nothing.'),
    'feed.failed': at(
      ['error'],
      'The change stream cannot continue; the streams end, and their readers continue from the stored events.',
    ),
    'feed.not_closed': at(['warn'], 'The change stream was not closed cleanly.'),
    'reader.resumed_from_store': at(
      ['info'],
      "The oplog no longer has a reader's position, so it gets stored events again, from 3 minutes before it was cut off.",
    ),
    'reader.interrupted': at(['warn'], 'One stream ended; its reader continues from its last id.'),
    'streams.not_checked': at(
      ['warn'],
      'The keys of the streams could not be checked; repeated after 2 s.',
    ),
  },
  delivery: {
    'delivery.attempted': at(
      ['info', 'warn'],
      'An attempt was made: warn when the delivery ended as `exhausted` or `blocked`.',
      'eventType host attempt trigger state status errorClass detail cause durationMs nextAttemptAt',
    ),
    'delivery.throttled': at(
      ['info', 'debug'],
      'There was no permit in time, or the process is stopping; retried seconds later. Debug after the first line of a delivery.',
      'host',
    ),
    'delivery.not_sent': at(
      ['info'],
      'The delivery is `held`; or `cancelled`, because the webhook is deleted or no longer subscribed, or the event was discarded or erased.',
      'state',
    ),
    'delivery.event_missing': at(
      ['warn'],
      'The event is not in the database, for example after an older backup was restored; the delivery is cancelled.',
    ),
    'delivery.superseded': at(
      ['warn'],
      'Two processes made the same attempt, or a job took the delivery meanwhile. If it continues, workers lack processor time.',
      'n',
    ),
    'delivery.triggers_not_written': at(
      ['warn'],
      '`lastTriggeredAt` of webhooks was not written; the next attempt writes it.',
    ),
    'early_attempt.failed': at(
      ['warn'],
      'An early first attempt met a fault of our own; its workflow repeats it.',
    ),
    'webhook.certificate_expires': at(
      ['warn'],
      'A client certificate expires within 14 days. Once a day per process.',
      'notAfter',
    ),
    'webhook.challenged': at(
      ['info'],
      'A receiver was asked to prove control; `proven` says whether it did.',
      'host status cause proven',
    ),
    'webhook.failing': at(['warn'], 'A webhook is failing.'),
    'webhook.deactivation_scheduled': at(['warn'], 'A failing webhook will be deactivated.'),
    'webhook.deactivated': at(
      ['warn'],
      'The service deactivated a webhook (`gone` or `failing`); the audit log has a row.',
      'disabledReason',
    ),
    'webhook.recovered': at(['info'], 'A failing webhook works again.'),
    'activity.faulted': at(
      ['error'],
      'A fault of our own, such as no open files left (`ulimit -n`). It is retried.',
      'activityType activityId',
    ),
    'activity.interrupted': at(
      ['info'],
      'Cut off because the process stops (`WORKER_SHUTDOWN`), or because Temporal cancelled the work or gave it to another process.',
      'activityType activityId reason',
    ),
  },
  dispatch: {
    'dispatch.failed': at(
      ['warn'],
      'The workflow of a job or of `count` events was not started; the relay starts it, and those of `left` waiting events.',
      'appUid eventId jobUid count left',
    ),
    'dispatch.not_marked': at(
      ['warn'],
      'MongoDB did not take the marks of `count` events whose workflows were started; the relay marks them.',
      'count',
    ),
    'overtaken.signal_failed': at(
      ['warn'],
      'Workflows could not be signalled that a job took their deliveries, or that one was skipped; they end when their retry is due.',
      'count',
    ),
  },
  relay: {
    'relay.swept': at(
      ['info'],
      'How many events, jobs and partitions the relay started or signalled, and how many workflows it could not start. If it continues, the api cannot start workflows.',
      'started failed',
    ),
    'relay.start_failed': at(
      ['warn'],
      'A workflow of `count` events was not started or signalled; it does not delay others.',
      'appUid eventId jobUid partition count',
    ),
    'relay.backing_off': at(
      ['warn'],
      'The relay could start nothing, because MongoDB or Temporal is unavailable.',
      'waitMs',
    ),
  },
  statistics: {
    'statistics.backing_off': at(['warn'], 'Counting waits; nothing is lost.', 'waitMs'),
    'metrics.not_read': at(['warn'], 'The backlog could not be read for the metrics.'),
  },
  token: {
    'signing_key.created': at(
      ['info'],
      'A signing key was added.',
      'keyId generation signsFrom appUid',
    ),
    'signing_key.removed': at(['info'], 'A signing key was deleted.', 'keyId appUid'),
    'signing_keys.read_failed': at(
      ['warn'],
      'The signing keys could not be read: no tokens are issued, or with `appUid`, the webhooks of that application with `v1a` wait. The public keys are published as last read, for 20 minutes.',
      'appUid',
    ),
    'tokens.not_listed': at(
      ['warn'],
      "Rows for the lists of users' tokens were not written, because MongoDB is slow or unavailable. The tokens are valid, and can be revoked by their IDs. At most once a minute per application.",
      'appUid',
    ),
  },
  temporal: {
    'temporal.sdk': at(['warn', 'error'], "A line of Temporal's SDK.", 'message'),
  },
};

export type LogSubject = keyof typeof logEvents;

type NamesOf<Subject extends LogSubject, Level extends LogLevel> = {
  [Name in keyof (typeof logEvents)[Subject]]: (typeof logEvents)[Subject][Name] extends LogEvent<
    infer Known
  >
    ? Level extends Known
      ? Name
      : never
    : never;
}[keyof (typeof logEvents)[Subject]];

/** Accepts the events of its subject, each only at its levels. */
export type Log<Subject extends LogSubject> = {
  [Level in LogLevel]: (fields: object, name: NamesOf<Subject, Level>) => void;
};
