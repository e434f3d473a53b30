import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import type { SealingKey } from '../platform/secret-box.ts';
import type { Retention } from '../model/retention.ts';
import type { EgressPolicy } from '../egress/egress-policy.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import type { MailServer } from '../egress/mail-server.ts';
import { type Environment, readSettings, type SettingReader } from './setting-reader.ts';
import { settings as table } from './settings.ts';
import { readTelemetry } from './telemetry.ts';
import type { TelemetrySettings } from '../telemetry/start-telemetry.ts';

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
  /** The settings by name, as a process logs them at its start: without secrets. */
  shown: Record<string, unknown>;
}

function readHttp(settings: SettingReader): Config['http'] {
  const port = settings.read('PORT');
  const trustedProxyHops = settings.read('HERALD_TRUSTED_PROXY_HOPS');
  const connectionsMax = settings.read('HERALD_CONNECTIONS');
  const perAddress =
    settings.read('HERALD_CONNECTIONS_PER_ADDRESS') ?? Math.ceil(connectionsMax / 5);
  return {
    port,
    host: settings.read('HERALD_HOST'),
    publicUrl: settings.read('HERALD_PUBLIC_URL') ?? `http://localhost:${port}`,
    trustedProxyHops,
    connectionsMax,
    // Behind proxies, all connections come from their addresses.
    connectionsPerAddressMax: trustedProxyHops > 0 || perAddress === 0 ? null : perAddress,
    requestsAtOnceMax: settings.read('HERALD_REQUESTS_AT_ONCE'),
    drainMs: settings.read('HERALD_DRAIN_FOR'),
  };
}

function readMongodb(settings: SettingReader): Config['mongodb'] {
  return { uri: settings.read('MONGODB_URI'), database: settings.read('HERALD_DATABASE') };
}

/** Reads the settings of commands that need only the database. Throws a ConfigError. */
export function readStoreConfig(environment: Environment): Config['mongodb'] {
  return readSettings(environment, readMongodb);
}

/** Reads the pepper for commands that create API keys. Throws a ConfigError. */
export function readKeyPepper(environment: Environment): string {
  return readSettings(environment, (settings) => settings.read('HERALD_KEY_PEPPER'));
}

function readOidc(settings: SettingReader): OidcSettings | null {
  const issuer = settings.read('HERALD_OIDC_ISSUER');
  const clientId = settings.read('HERALD_OIDC_CLIENT_ID');
  const clientSecret = settings.read('HERALD_OIDC_CLIENT_SECRET');
  if (issuer !== null && clientId !== null && clientSecret !== null)
    return { issuer, clientId, clientSecret };
  if ((issuer ?? clientId ?? clientSecret) !== null) {
    settings.faults.push(
      'HERALD_OIDC_ISSUER, HERALD_OIDC_CLIENT_ID and HERALD_OIDC_CLIENT_SECRET: set all three or none',
    );
  }
  return null;
}

function readMail(settings: SettingReader): Config['mail'] {
  const server = settings.read('HERALD_SMTP_URL');
  const from = settings.read('HERALD_MAIL_FROM');
  if (server !== null && from !== null) return { server, from };
  if (server !== null || from !== null) {
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
  const address = profile.connectionOptions.address ?? table.TEMPORAL_ADDRESS.fallback;
  const namespace = profile.namespace ?? table.TEMPORAL_NAMESPACE.fallback;
  return { ...profile, address, namespace };
}

/** Reads all settings. Throws a ConfigError that lists every faulty setting, but no secret. */
export function readConfig(environment: Environment): Config {
  return readSettings(environment, (settings) => readAll(settings, environment));
}

function readAll(settings: SettingReader, environment: Environment): Config {
  const http = readHttp(settings);
  const temporal = readTemporal(settings, environment);
  const config = {
    http,
    mongodb: readMongodb(settings),
    temporal,
    temporalUiUrl: settings.read('HERALD_TEMPORAL_UI_URL'),
    egress: {
      allowHttp: settings.read('HERALD_ALLOW_HTTP_WEBHOOKS'),
      ports: settings.read('HERALD_WEBHOOK_PORTS'),
      allowHosts: settings.read('HERALD_ALLOW_HOSTS'),
      allowCidrs: settings.read('HERALD_ALLOW_CIDRS'),
      denyCidrs: settings.read('HERALD_DENY_CIDRS'),
    },
    egressProxy: settings.read('HERALD_EGRESS_PROXY'),
    mail: readMail(settings),
    retryScheduleMs: settings.read('HERALD_RETRY_SCHEDULE'),
    deactivateAfterMs: settings.read('HERALD_DEACTIVATE_AFTER'),
    processingOverdueAfterMs: settings.read('HERALD_PROCESSING_OVERDUE_AFTER'),
    retention: {
      recordsMs: settings.read('HERALD_RETENTION'),
      heldMs: settings.read('HERALD_HELD_FOR'),
      auditMs: settings.read('HERALD_AUDIT_RETENTION'),
    },
    webhooksPerAppMax: settings.read('HERALD_WEBHOOKS_PER_APP'),
    rateLimits: {
      keyRequestsPerMinute: settings.read('HERALD_KEY_REQUESTS_PER_MINUTE'),
      failuresPerMinute: settings.read('HERALD_FAILURES_PER_MINUTE'),
      signInsPerMinute: settings.read('HERALD_USER_SIGN_INS_PER_MINUTE'),
    },
    eventsPerWorkflowMax: settings.read('HERALD_EVENTS_PER_WORKFLOW'),
    apiDelivers: settings.read('HERALD_API_DELIVERS'),
    earlyAttempts: settings.read('HERALD_EARLY_FIRST_ATTEMPTS'),
    userTokenLifetimeMs: settings.read('HERALD_USER_TOKEN_LIFETIME'),
    signingKeyRotationMs: settings.read('HERALD_SIGNING_KEY_ROTATION'),
    sealingKeys: settings.read('HERALD_SECRET_KEYS'),
    keyPepper: settings.read('HERALD_KEY_PEPPER'),
    oidc: readOidc(settings),
    telemetry: readTelemetry(settings, http.host),
    sendsTraceparent: settings.read('HERALD_SEND_TRACEPARENT'),
    traceUrlTemplate: settings.read('HERALD_TRACE_URL_TEMPLATE'),
    egressAddresses: settings.read('HERALD_EGRESS_ADDRESSES'),
    workflowBundlePath: settings.read('HERALD_WORKFLOW_BUNDLE'),
  };
  const shown = {
    ...settings.shown,
    HERALD_PUBLIC_URL: http.publicUrl,
    HERALD_METRICS_HOST: settings.shown['HERALD_METRICS_HOST'] ?? http.host,
    HERALD_CONNECTIONS_PER_ADDRESS: http.connectionsPerAddressMax,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
  return { ...config, shown };
}
