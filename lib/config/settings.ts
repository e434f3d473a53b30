// All settings of the service, each in one line. `npm run generate` writes the tables of docs/configuration.md, and the
// lists in docker-compose.yml and the chart's values.schema.json from them.
import { formatSchedule, defaultRetryScheduleMs } from '../webhooks/retry-schedule.ts';
import { parseEgressProxy } from '../egress/egress-proxy.ts';
import { parseMailServer } from '../egress/mail-server.ts';
import { parseUrl } from '../egress/parse-url.ts';
import { dispatchLimits, limits } from '../limits.ts';
import { parseKeyRing } from '../platform/secret-box.ts';
import { asMongodbUri } from './mongodb-uri.ts';
import { optional, required, secret, setting, type Setting } from './setting.ts';
import {
  asAddress,
  asBoolean,
  asCidrs,
  asDrain,
  asEndpoint,
  asExporter,
  asHostNames,
  asIssuer,
  asLongDuration,
  asNumberUpTo,
  asPepper,
  asPort,
  asProtocol,
  asProxyHops,
  asPublicUrl,
  asRetention,
  asRotation,
  asSchedule,
  asShare,
  asText,
  asTokenLifetime,
  asTraceUrl,
  asWebhookPorts,
} from './setting-parsers.ts';

/** An address may contain a password. */
const hostOf = (url: string | null): string | null => url && (parseUrl(url)?.host ?? 'set');
const asCountPerMinute = asNumberUpTo(10_000_000);
const eventsPerWorkflowMax = dispatchLimits.idsPerSearchAttributeMax;

// prettier-ignore
const ofEveryProcess = {
  MONGODB_URI: secret(required(asMongodbUri, '', 'a replica set or a sharded cluster, such as `mongodb://db1,db2,db3/?replicaSet=rs0`. [More below](#mongodbs-connection-string)'), hostOf),
  HERALD_SECRET_KEYS: secret(required(parseKeyRing, [], 'the [key ring](#the-key-ring) that encrypts webhook secrets, signing keys and stored responses'), (keys) => keys.map(({ id }) => id)),
  HERALD_KEY_PEPPER: secret(required(asPepper, '', "keys the hashes of API keys, email addresses and admins' sessions; at least 32 bytes")),
  HERALD_DATABASE: setting(asText, 'agent_herald', 'name of the database'),
  // The logger reads it itself.
  HERALD_LOG_LEVEL: setting(asText, 'info', '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; another value means `info`'),
};

// prettier-ignore
const ofApi = {
  PORT: setting(asPort, '3000', 'port of the api; 0: any free one'),
  HERALD_HOST: setting(asText, '0.0.0.0', 'address the api listens on'),
  HERALD_TRUSTED_PROXY_HOPS: setting(asProxyHops, '0', 'number of proxies in front of the api that each add an address to `X-Forwarded-For`, 0 to 9. [More below](#proxies-and-connections)'),
  HERALD_OIDC_ISSUER: optional(asIssuer, 'issuer of an OpenID provider through which admins may sign in, such as `https://id.example.com/realm`; https, or http on this machine'),
  HERALD_OIDC_CLIENT_ID: optional(asText, 'client id at the provider'),
  HERALD_OIDC_CLIENT_SECRET: secret(optional(asText, 'the secret of that client. Set all three or none')),
  HERALD_CONNECTIONS: setting(asNumberUpTo(1_000_000), '10000', 'maximum open connections of the api, 1 to 1000000; more are closed immediately, and idle ones with them. The process needs somewhat more open files (`ulimit -n`)'),
  HERALD_CONNECTIONS_PER_ADDRESS: optional(asNumberUpTo(1_000_000, 0), 'maximum of these per address (IPv6: a /64; a /48 gets at most three quarters of all), 0 to 1000000. 0: no limit. [More below](#proxies-and-connections)', 'a fifth of `HERALD_CONNECTIONS`: `2000`'),
  HERALD_REQUESTS_AT_ONCE: setting(asNumberUpTo(10_000), '500', 'maximum requests that the api handles concurrently, 1 to 10000 ([security.md](security.md#floods))'),
  HERALD_DRAIN_FOR: setting(asDrain, '3s', 'how long a stopping api still takes requests, 0s to 60s ([running.md](running.md#stopping))'),
  HERALD_KEY_REQUESTS_PER_MINUTE: setting(asCountPerMinute, '120000', 'maximum calls of an API key or an admin per minute, 1 to 10000000, over all api processes'),
  HERALD_FAILURES_PER_MINUTE: setting(asCountPerMinute, '3000', 'maximum rejected credentials per address (IPv6: a /64) and minute'),
  HERALD_USER_SIGN_INS_PER_MINUTE: setting(asCountPerMinute, '6000', 'maximum sign-ins of a user per minute'),
  HERALD_TEMPORAL_UI_URL: optional(asPublicUrl, "address of Temporal's UI, to which pages link (`GET …/settings`)"),
  HERALD_USER_TOKEN_LIFETIME: setting(asTokenLifetime, '15m', 'lifetime of a user token without `expiresInSeconds`, 1m to 60m'),
  HERALD_SIGNING_KEY_ROTATION: setting(asRotation, '30d', "how long a signing key of user tokens or of an application's webhooks is used, 1d to 365d"),
  HERALD_WEBHOOKS_PER_APP: setting(asNumberUpTo(limits.webhooksPerAppCeiling), '100', 'maximum webhooks of an application, 1 to 1000; existing ones above it stay ([scaling.md](scaling.md#one-event-to-1000-webhooks))'),
  HERALD_API_DELIVERS: setting(asBoolean, 'true', 'whether api processes send first attempts; with `false` only workers send'),
  HERALD_EARLY_FIRST_ATTEMPTS: setting(asBoolean, 'true', 'whether first attempts begin right after the commit; with `false` nothing is sent before Temporal has the workflow'),
  HERALD_TRACE_URL_TEMPLATE: optional(asTraceUrl, "address of a trace in your tool, such as `https://jaeger.example.com/trace/{traceId}`; the console's attempts link to it"),
};

// prettier-ignore
const ofApiAndWorker = {
  HERALD_PUBLIC_URL: optional(asPublicUrl, "the address that callers use for the api, such as `https://agents.example.com`; the worker uses it in mail and in links of Temporal's UI. [More below](#the-public-address)", '`http://localhost:PORT`'),
  HERALD_RETRY_SCHEDULE: setting(asSchedule, formatSchedule(defaultRetryScheduleMs).join(','), 'waits between attempts, separated by commas; at most 20, each at least 1s, 7 days in all'),
  HERALD_DEACTIVATE_AFTER: setting(asLongDuration, '5d', 'how long all attempts at a webhook may fail before it is deactivated, 1m to 365d'),
  HERALD_PROCESSING_OVERDUE_AFTER: setting(asLongDuration, '1h', 'how long a context file may be `processing` before it is [reported](webhooks.md#operations-webhooks), 1m to 365d'),
  HERALD_RETENTION: setting(asRetention, '30d', 'how long events, deliveries (after they are settled), resends and replays (after their end) are kept, 15d to 3650d'),
  HERALD_AUDIT_RETENTION: setting(asRetention, '400d', 'how long rows of the audit log are kept, 15d to 3650d'),
  HERALD_HELD_FOR: setting(asLongDuration, '3d', "how long a paused or deactivated webhook's deliveries are held, 1m to 365d; checked once an hour"),
  HERALD_EVENTS_PER_WORKFLOW: setting(asNumberUpTo(eventsPerWorkflowMax), `${eventsPerWorkflowMax}`, `maximum events of an application that share a workflow under load, 1 to ${eventsPerWorkflowMax}`),
  HERALD_ALLOW_HTTP_WEBHOOKS: setting(asBoolean, 'false', '`true` lets webhook URLs be plain http'),
  HERALD_WEBHOOK_PORTS: setting(asWebhookPorts, '443,8443', 'ports that a webhook URL may have, separated by commas, or `any`; also 80 if http is allowed; never 0'),
  HERALD_ALLOW_HOSTS: setting(asHostNames, '', 'private names that a webhook URL may have, with all names under them, such as `svc.cluster.local`; their addresses must be allowed, too'),
  HERALD_ALLOW_CIDRS: setting(asCidrs, '', 'address ranges to allow although they are not public, such as `10.20.0.0/16,fd00::/8`'),
  HERALD_DENY_CIDRS: setting(asCidrs, '', 'address ranges to refuse although they are public; they win over the allowed ones'),
  HERALD_EGRESS_ADDRESSES: setting(asCidrs, '', 'addresses from which webhook requests reach receivers, such as `203.0.113.7,2001:db8::/64`; only shown to integrators'),
  HERALD_EGRESS_PROXY: secret(optional(parseEgressProxy, '`http://host:port` of a proxy through which all webhook requests go ([security.md](security.md#through-a-proxy))'), (proxy) => proxy && `${proxy.host}:${proxy.port}`),
  HERALD_SMTP_URL: secret(optional(parseMailServer, '`smtp://user:password@host:port` of the mail server for [operations webhooks](webhooks.md#operations-webhooks) by mail, or `smtps://…` for TLS from the first byte; ports 587 and 465 by default. [More below](#mail)')),
  HERALD_MAIL_FROM: optional(asAddress, 'sender of the mail, a plain address; set both or none'),
  HERALD_WORKFLOW_BUNDLE: optional(asText, 'prebuilt workflow bundle; without it the bundle is built at each start'),
  HERALD_METRICS_PORT: optional(asPort, "port of a process's page of [metrics](metrics.md); 0: any free one. Without it there is no page"),
  HERALD_METRICS_HOST: optional(asText, 'address of that page', 'that of `HERALD_HOST`'),
  OTEL_EXPORTER_OTLP_ENDPOINT: { ...optional(asEndpoint, 'collector of [metrics](metrics.md) and [traces](observing.md#traces), such as `http://collector:4318`'), show: hostOf },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: { ...optional(asEndpoint, 'the same for metrics only, with its path, such as `http://collector:4318/v1/metrics`', 'that above with `/v1/metrics`'), show: hostOf },
  OTEL_METRICS_EXPORTER: setting(asExporter, 'otlp', '`none`: no metrics by OTLP in spite of a collector'),
  OTEL_METRIC_EXPORT_INTERVAL: setting(asNumberUpTo(3_600_000, 100), '60000', 'interval of these, in milliseconds, 100 to 3600000'),
  HERALD_TRACE_SAMPLING: setting(asShare, '0', 'share of requests whose [traces](observing.md#traces) are recorded, 0 to 1. Needs a collector'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { ...optional(asEndpoint, 'the collector of traces only, with its path', 'that above with `/v1/traces`'), show: hostOf },
  HERALD_SEND_TRACEPARENT: setting(asBoolean, 'true', 'whether receivers of traced deliveries get [`traceparent`](webhooks.md#traces)'),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(asProtocol, 'http/protobuf', 'only this one'),
  // The other rows are of libraries, which read them themselves; `*` stands for the rest of a name.
  OTEL_EXPORTER_OTLP_HEADERS: secret(optional(asText, 'headers of each request to a collector; each `…_HEADERS` is secret')),
  'OTEL_EXPORTER_OTLP_*': optional(asText, 'as defined by OpenTelemetry'),
  'OTEL_BSP_*': optional(asText, 'as defined by OpenTelemetry'),
  OTEL_RESOURCE_ATTRIBUTES: optional(asText, 'as defined by OpenTelemetry'),
  OTEL_SERVICE_NAME: optional(asText, 'as defined by OpenTelemetry; the alerts expect the default', '`agent-herald-api`, `agent-herald-worker`'),
};

// prettier-ignore
const ofTemporal = {
  TEMPORAL_ADDRESS: setting(asText, 'localhost:7233', 'host and port of the frontend'),
  TEMPORAL_NAMESPACE: setting(asText, 'default', 'the namespace, which must exist'),
  TEMPORAL_API_KEY: secret(optional(asText, 'turns TLS on')),
  TEMPORAL_TLS: optional(asText, '`true` or `1` turns TLS on, other values turn it off', 'off without a key or TLS setting'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optional(asText, 'client certificate, as a file'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: optional(asText, 'the same as PEM text'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optional(asText, 'its key, as a file'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: secret(optional(asText, 'the same as PEM text')),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optional(asText, "authority to trust instead of the system's, as a file"),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: optional(asText, 'the same as PEM text'),
  TEMPORAL_TLS_SERVER_NAME: optional(asText, 'server name to expect', 'the host'),
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: setting(asText, 'false', "`true` does not check the server's name"),
  'TEMPORAL_GRPC_META_*': optional(asText, 'a header of each call: `TEMPORAL_GRPC_META_X_TEAM=a` sends `x-team: a`'),
  TEMPORAL_CONFIG_FILE: optional(asText, 'a configuration file in TOML'),
  TEMPORAL_PROFILE: setting(asText, 'default', 'the profile in it'),
};

/** By the tables of docs/configuration.md. */
export const settingGroups = { ofEveryProcess, ofApi, ofApiAndWorker, ofTemporal };

const rows = { ...ofEveryProcess, ...ofApi, ...ofApiAndWorker, ...ofTemporal };

export type SettingName = keyof typeof rows;

/** The values of all settings by name. */
export type SettingValues = {
  [Name in SettingName]: (typeof rows)[Name] extends Setting<infer T> ? T : never;
};

export const settings: { readonly [Name in SettingName]: Setting<SettingValues[Name]> } = rows;
