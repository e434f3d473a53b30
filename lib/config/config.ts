import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { parseKeyRing, type SealingKey } from '../platform/secret-box.ts';
import { defaultRetryScheduleMs } from '../deliveries/retry-schedule.ts';
import { dayMs, hourMs } from '../platform/duration.ts';
import { dispatchLimits, limits } from '../limits.ts';
import type { Retention } from '../model/retention.ts';
import { defaultEgressPolicy, type EgressPolicy } from '../egress/egress-policy.ts';
import { type EgressProxy, parseEgressProxy } from '../egress/egress-proxy.ts';
import { type MailServer, parseMailServer } from '../egress/mail-server.ts';
import { parseUrl } from '../egress/parse-url.ts';
import { asMongodbUri } from './mongodb-uri.ts';
import {
  asAddress,
  asBoolean,
  asCidrs,
  asDrain,
  asHostNames,
  asIssuer,
  asLongDuration,
  asNumberUpTo,
  asPepper,
  asPort,
  asProxyHops,
  asPublicUrl,
  asRetention,
  asRotation,
  asSchedule,
  asText,
  asTokenLifetime,
  asTraceUrl,
  asWebhookPorts,
} from './setting-parsers.ts';
import { readTelemetry } from './telemetry.ts';
import type { TelemetrySettings } from '../telemetry/start-telemetry.ts';
import { ConfigError, type Environment, SettingReader } from '../platform/setting-reader.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface Config {
  http: {
    port: number;
    host: string;
    publicUrl: string;
    /** The number of proxies in front of the api that append to `X-Forwarded-For`. */
    trustedProxyHops: number;
    connectionsMax: number;
    /** IPv6: per /64. Null: no limit. */
    connectionsPerAddressMax: number | null;
    /** Up to four times as many wait. */
    requestsAtOnceMax: number;
    /** How long a stopping api continues as before, so that load balancers notice. */
    drainMs: number;
  };
  mongodb: { uri: string; database: string };
  temporal: ClientConnectConfig & { namespace: string; address: string };
  /** Only displayed. */
  temporalUiUrl: string | null;
  egress: EgressPolicy;
  egressProxy: EgressProxy | null;
  /** Null: operations webhooks cannot use email addresses. */
  mail: { server: MailServer; from: string } | null;
  retryScheduleMs: readonly number[];
  deactivateAfterMs: number;
  /** How long a context file may stay in `processing` before it is reported. */
  processingOverdueAfterMs: number;
  retention: Retention;
  webhooksPerAppMax: number;
  rateLimits: { keyRequestsPerMinute: number; failuresPerMinute: number; signInsPerMinute: number };
  eventsPerWorkflowMax: number;
  /** Whether api processes make first attempts; otherwise only worker processes do. */
  apiDelivers: boolean;
  /** Whether first attempts start right after the commit, concurrently with the start of the workflow. */
  earlyAttempts: boolean;
  userTokenLifetimeMs: number;
  signingKeyRotationMs: number;
  sealingKeys: readonly SealingKey[];
  keyPepper: string;
  oidc: OidcSettings | null;
  telemetry: TelemetrySettings;
  /** Whether receivers of traced deliveries get their `traceparent`. */
  sendsTraceparent: boolean;
  /** The URL of a trace, with `{traceId}`; only displayed. */
  traceUrlTemplate: string | null;
  /** The addresses that receivers see, for their firewalls; only displayed. Empty: unknown. */
  egressAddresses: string[];
  workflowBundlePath: string | null;
}

function readHttp(settings: SettingReader): Config['http'] {
  const port = settings.read('PORT', 3000, asPort);
  const trustedProxyHops = settings.read('HERALD_TRUSTED_PROXY_HOPS', 0, asProxyHops);
  const connectionsMax = settings.read('HERALD_CONNECTIONS', 10_000, asNumberUpTo(1_000_000));
  const share = Math.ceil(connectionsMax / 5);
  const asShare = asNumberUpTo(1_000_000, 0);
  const perAddress = settings.read('HERALD_CONNECTIONS_PER_ADDRESS', share, asShare);
  return {
    port,
    host: settings.read('HERALD_HOST', '0.0.0.0', asText),
    publicUrl: settings.read('HERALD_PUBLIC_URL', `http://localhost:${port}`, asPublicUrl),
    trustedProxyHops,
    connectionsMax,
    // Behind proxies, all connections come from their addresses.
    connectionsPerAddressMax: trustedProxyHops > 0 || perAddress === 0 ? null : perAddress,
    requestsAtOnceMax: settings.read('HERALD_REQUESTS_AT_ONCE', 500, asNumberUpTo(10_000)),
    drainMs: settings.read('HERALD_DRAIN_FOR', 3_000, asDrain),
  };
}

function readMongodb(settings: SettingReader): Config['mongodb'] {
  return {
    uri: settings.read('MONGODB_URI', undefined, asMongodbUri),
    database: settings.read('HERALD_DATABASE', 'agent_herald', asText),
  };
}

/** Reads the settings of commands that need only the database. Throws a ConfigError. */
export function readStoreConfig(environment: Environment): Config['mongodb'] {
  const settings = new SettingReader(environment);
  const mongodb = readMongodb(settings);
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return mongodb;
}

/** Reads the pepper for commands that create API keys. Throws a ConfigError. */
export function readKeyPepper(environment: Environment): string {
  const settings = new SettingReader(environment);
  const pepper = settings.read('HERALD_KEY_PEPPER', undefined, asPepper);
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return pepper;
}

function readOidc(settings: SettingReader): OidcSettings | null {
  const issuer = settings.read('HERALD_OIDC_ISSUER', '', asIssuer);
  const clientId = settings.read('HERALD_OIDC_CLIENT_ID', '', asText);
  const clientSecret = settings.read('HERALD_OIDC_CLIENT_SECRET', '', asText);
  const given = [issuer, clientId, clientSecret].filter((text) => text !== '').length;
  if (given === 0) return null;
  if (given < 3) {
    settings.faults.push(
      'HERALD_OIDC_ISSUER, HERALD_OIDC_CLIENT_ID and HERALD_OIDC_CLIENT_SECRET: set all three or none',
    );
  }
  return { issuer, clientId, clientSecret };
}

function readMail(settings: SettingReader): Config['mail'] {
  const server = settings.read<MailServer | null>('HERALD_SMTP_URL', null, parseMailServer);
  const from = settings.read('HERALD_MAIL_FROM', '', asAddress);
  if (server !== null && from !== '') return { server, from };
  if (server !== null || from !== '') {
    settings.faults.push('HERALD_SMTP_URL and HERALD_MAIL_FROM: set both or none');
  }
  return null;
}

function readTemporal(settings: SettingReader, environment: Environment): Config['temporal'] {
  const overrideEnvVars: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('TEMPORAL_') && value) overrideEnvVars[name] = value;
  }
  // The SDK reads these itself, so one fault stands for all of them.
  const none: ClientConnectConfig = { connectionOptions: {} };
  const profile = settings.collectFaults('TEMPORAL_*', none, () =>
    loadClientConnectConfig({ overrideEnvVars }),
  );
  const address = profile.connectionOptions.address ?? 'localhost:7233';
  return { ...profile, address, namespace: profile.namespace ?? 'default' };
}

function readEgress(settings: SettingReader): EgressPolicy {
  const { allowHttp, ports, allowHosts, allowCidrs, denyCidrs } = defaultEgressPolicy;
  return {
    allowHttp: settings.read('HERALD_ALLOW_HTTP_WEBHOOKS', allowHttp, asBoolean),
    ports: settings.read('HERALD_WEBHOOK_PORTS', ports, asWebhookPorts),
    allowHosts: settings.read('HERALD_ALLOW_HOSTS', allowHosts, asHostNames),
    allowCidrs: settings.read('HERALD_ALLOW_CIDRS', allowCidrs, asCidrs),
    denyCidrs: settings.read('HERALD_DENY_CIDRS', denyCidrs, asCidrs),
  };
}

function readRateLimits(settings: SettingReader): Config['rateLimits'] {
  const asCount = asNumberUpTo(10_000_000);
  return {
    keyRequestsPerMinute: settings.read('HERALD_KEY_REQUESTS_PER_MINUTE', 120_000, asCount),
    failuresPerMinute: settings.read('HERALD_FAILURES_PER_MINUTE', 3_000, asCount),
    signInsPerMinute: settings.read('HERALD_USER_SIGN_INS_PER_MINUTE', 6_000, asCount),
  };
}

/** Reads all settings. Throws a ConfigError that lists every faulty setting, but no secret. */
export function readConfig(environment: Environment): Config {
  const settings = new SettingReader(environment);
  const http = readHttp(settings);
  const config: Config = {
    http,
    mongodb: readMongodb(settings),
    temporal: readTemporal(settings, environment),
    temporalUiUrl: settings.read('HERALD_TEMPORAL_UI_URL', '', asPublicUrl) || null,
    egress: readEgress(settings),
    egressProxy: settings.read<EgressProxy | null>('HERALD_EGRESS_PROXY', null, parseEgressProxy),
    mail: readMail(settings),
    retryScheduleMs: settings.read('HERALD_RETRY_SCHEDULE', defaultRetryScheduleMs, asSchedule),
    deactivateAfterMs: settings.read('HERALD_DEACTIVATE_AFTER', 5 * dayMs, asLongDuration),
    processingOverdueAfterMs: settings.read(
      'HERALD_PROCESSING_OVERDUE_AFTER',
      hourMs,
      asLongDuration,
    ),
    retention: {
      recordsMs: settings.read('HERALD_RETENTION', 30 * dayMs, asRetention),
      heldMs: settings.read('HERALD_HELD_FOR', 3 * dayMs, asLongDuration),
      auditMs: settings.read('HERALD_AUDIT_RETENTION', 400 * dayMs, asRetention),
    },
    webhooksPerAppMax: settings.read(
      'HERALD_WEBHOOKS_PER_APP',
      100,
      asNumberUpTo(limits.webhooksPerAppCeiling),
    ),
    rateLimits: readRateLimits(settings),
    eventsPerWorkflowMax: settings.read(
      'HERALD_EVENTS_PER_WORKFLOW',
      dispatchLimits.idsPerSearchAttributeMax,
      asNumberUpTo(dispatchLimits.idsPerSearchAttributeMax),
    ),
    apiDelivers: settings.read('HERALD_API_DELIVERS', true, asBoolean),
    earlyAttempts: settings.read('HERALD_EARLY_FIRST_ATTEMPTS', true, asBoolean),
    userTokenLifetimeMs: settings.read('HERALD_USER_TOKEN_LIFETIME', 900_000, asTokenLifetime),
    signingKeyRotationMs: settings.read('HERALD_SIGNING_KEY_ROTATION', 30 * dayMs, asRotation),
    sealingKeys: settings.read('HERALD_SECRET_KEYS', undefined, parseKeyRing),
    keyPepper: settings.read('HERALD_KEY_PEPPER', undefined, asPepper),
    oidc: readOidc(settings),
    telemetry: readTelemetry(settings, http.host),
    sendsTraceparent: settings.read('HERALD_SEND_TRACEPARENT', true, asBoolean),
    traceUrlTemplate: settings.read('HERALD_TRACE_URL_TEMPLATE', '', asTraceUrl) || null,
    egressAddresses: settings.read('HERALD_EGRESS_ADDRESSES', [], asCidrs),
    workflowBundlePath: settings.read('HERALD_WORKFLOW_BUNDLE', '', asText) || null,
  };
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return config;
}

/** Returns the settings that a process logs at its start; for secrets only whether they are set. */
export function summarizeConfig(config: Config): Record<string, unknown> {
  const mongodb = parseUrl(config.mongodb.uri)?.host ?? 'set';
  return {
    port: config.http.port,
    host: config.http.host,
    publicUrl: config.http.publicUrl,
    trustedProxyHops: config.http.trustedProxyHops,
    connectionsMax: config.http.connectionsMax,
    connectionsPerAddressMax: config.http.connectionsPerAddressMax,
    requestsAtOnceMax: config.http.requestsAtOnceMax,
    drainMs: config.http.drainMs,
    mongodbHost: mongodb,
    mongodbDatabase: config.mongodb.database,
    temporalAddress: config.temporal.address,
    temporalNamespace: config.temporal.namespace,
    temporalUiUrl: config.temporalUiUrl,
    allowHttpWebhooks: config.egress.allowHttp,
    webhookPorts: config.egress.ports,
    allowHosts: config.egress.allowHosts,
    allowCidrs: config.egress.allowCidrs,
    denyCidrs: config.egress.denyCidrs,
    egressProxy: config.egressProxy && `${config.egressProxy.host}:${config.egressProxy.port}`,
    mailServer: config.mail === null ? null : 'set',
    metricsPage: config.telemetry.metricsPage,
    otlpMetrics: config.telemetry.otlpMetrics,
    traces: config.telemetry.traces,
    sendsTraceparent: config.sendsTraceparent,
    traceUrlTemplate: config.traceUrlTemplate,
    egressAddresses: config.egressAddresses,
    mailFrom: config.mail?.from ?? null,
    retrySteps: config.retryScheduleMs.length,
    deactivateAfterMs: config.deactivateAfterMs,
    processingOverdueAfterMs: config.processingOverdueAfterMs,
    retentionMs: config.retention.recordsMs,
    heldForMs: config.retention.heldMs,
    auditRetentionMs: config.retention.auditMs,
    webhooksPerAppMax: config.webhooksPerAppMax,
    eventsPerWorkflowMax: config.eventsPerWorkflowMax,
    apiDelivers: config.apiDelivers,
    earlyAttempts: config.earlyAttempts,
    userTokenLifetimeMs: config.userTokenLifetimeMs,
    signingKeyRotationMs: config.signingKeyRotationMs,
    sealingKeyIds: config.sealingKeys.map((key) => key.id),
    keyPepperConfigured: true,
    oidcIssuer: config.oidc?.issuer ?? null,
    workflowBundle: config.workflowBundlePath === null ? 'built at start' : 'prebuilt',
  };
}
