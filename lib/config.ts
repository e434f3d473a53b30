// The settings of the service: the environment in, one checked object out, all faults at once.
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { parseKeyRing } from './crypto/secret-box.ts';
import type { SealingKey } from './crypto/secret-box.ts';
import { defaultRetryScheduleMs, parseSchedule } from './delivery/retry-schedule.ts';
import type { Retention } from './delivery/tidy-up.ts';
import { parseDurationMs } from './duration.ts';
import { parseEgressProxy } from './net/egress-proxy.ts';
import type { EgressProxy } from './net/egress-proxy.ts';
import { isHostName } from './net/host-name.ts';
import { isCidr } from './net/parse-address.ts';
import type { EgressPolicy } from './net/egress-policy.ts';
import { parseUrl } from './net/parse-url.ts';
import { idsPerSearchAttributeMax } from './temporal/names.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Limits that are the same everywhere (design §10), each with its unit in its name. */
export const limits = {
  requestBytesMax: 256 * 1024,
  payloadBytesMax: 256 * 1024,
  webhooksPerAppMax: 100,
  tenantsPerWebhookMax: 100,
  replayedPerSecondMax: 100,
  mentionsPerErasureMax: 10,
  filesPerContextMax: 1_000,
  attemptsKeptMax: 20,
  attemptTimeoutMs: 5_000,
  pageSizeDefault: 50,
  pageSizeMax: 200,
  externalIdCharactersMax: 256,
  emailCharactersMax: 254,
  nameCharactersMax: 200,
  descriptionCharactersMax: 4_000,
  accountUidsMax: 100,
} as const;

/** How long a stop may take before what is left is cut off. */
export const stopTimeoutMs = 10_000;

/** Everything a process needs to know, read once at its start. */
export interface Config {
  http: { port: number; host: string; publicUrl: string };
  mongodb: { uri: string; database: string };
  temporal: ClientConnectConfig & { namespace: string; address: string };
  egress: EgressPolicy;
  /** Where all webhook requests go out, or null for directly. */
  egressProxy: EgressProxy | null;
  retryScheduleMs: readonly number[];
  /** How long all attempts at a webhook may fail before it is paused. */
  deactivateAfterMs: number;
  retention: Retention;
  /** How many events of one application may share a workflow when many come at once. */
  eventsPerWorkflowMax: number;
  /** How many events a second of a process may have a workflow of their own; what comes faster shares. */
  workflowStartsPerSecond: number;
  userTokenLifetimeMs: number;
  sealingKeys: readonly SealingKey[];
  keyPepper: string;
  workflowBundlePath: string | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** All the faults of an environment in one error, one line each. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads one setting at a time and gathers the faults, so that the operator sees all of them at once. */
class SettingReader {
  readonly faults: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Reads a setting; an absent or empty one takes the fallback, or is a fault where there is none. */
  read<T>(name: string, fallback: T | undefined, parse: (text: string) => T): T {
    const text = this.#environment[name]?.trim() ?? '';
    return this.noteFaults(name, fallback as T, () => {
      if (text !== '') return parse(text);
      if (fallback !== undefined) return fallback;
      throw new Error('must be set');
    });
  }

  /** Gives what `make` gives; what it throws is noted as a fault of the setting. */
  noteFaults<T>(name: string, fallback: T, make: () => T): T {
    try {
      return make();
    } catch (error) {
      this.faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }
}

const asText = (text: string): string => text;

function asPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`must be a port from 0 to 65535 (got "${text}")`);
  }
  return port;
}

function asBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`must be true or false (got "${text}")`);
}

function asUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || parseUrl(text) === null) {
    throw new Error(`must be an http or https address (got "${text}")`);
  }
  return text.replace(/\/+$/, '');
}

function asList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function asCidrs(text: string): string[] {
  const cidrs = asList(text);
  const faulty = cidrs.find((cidr) => !isCidr(cidr));
  if (faulty !== undefined)
    throw new Error(`"${faulty}" is not an address range such as 10.0.0.0/8`);
  return cidrs;
}

function asHostNames(text: string): string[] {
  const names = asList(text).map((name) => name.toLowerCase());
  const faulty = names.find((name) => !isHostName(name));
  if (faulty !== undefined)
    throw new Error(`"${faulty}" is not a host name such as hooks.internal`);
  return names;
}

function asWebhookPorts(text: string): number[] | 'any' {
  return text === 'any' ? 'any' : asList(text).map(asPort);
}

const asSchedule = (text: string): number[] => parseSchedule(asList(text));

/** A time after which the service acts on old things: long enough for somebody to notice. */
function asLongDuration(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs < 60_000 || durationMs > 365 * dayMs) {
    throw new Error(`must be from 1m to 365d (got "${text}")`);
  }
  return durationMs;
}

/** An event must outlive the retries of its deliveries, which end after 15 days (workflows/activity-options.ts). */
function asRetention(text: string): number {
  const retentionMs = parseDurationMs(text);
  if (retentionMs < 15 * dayMs || retentionMs > 3_650 * dayMs) {
    throw new Error(`must be from 15d to 3650d (got "${text}")`);
  }
  return retentionMs;
}

function asTokenLifetime(text: string): number {
  const lifetimeMs = parseDurationMs(text);
  if (lifetimeMs < 60_000 || lifetimeMs > 3_600_000) {
    throw new Error(`must be from 1m to 60m (got "${text}")`);
  }
  return lifetimeMs;
}

function asNumberUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= max) return count;
    throw new Error(`must be a whole number from 1 to ${max} (got "${text}")`);
  };
}

function asPepper(text: string): string {
  if (Buffer.byteLength(text) < 32) {
    throw new Error(`must be at least 32 bytes (got ${Buffer.byteLength(text)})`);
  }
  return text;
}

function readTemporal(settings: SettingReader, environment: Environment): Config['temporal'] {
  const overrideEnvVars: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('TEMPORAL_') && value) overrideEnvVars[name] = value;
  }
  // The SDK reads these itself, so its complaint stands for all of them.
  const none: ClientConnectConfig = { connectionOptions: {} };
  const profile = settings.noteFaults('TEMPORAL_*', none, () =>
    loadClientConnectConfig({ overrideEnvVars }),
  );
  const address = profile.connectionOptions.address ?? 'localhost:7233';
  return { ...profile, address, namespace: profile.namespace ?? 'default' };
}

/**
 * Makes the configuration from an environment.
 * Throws a ConfigError that lists every faulty setting; values of secrets are never in it.
 */
export function readConfig(environment: Environment): Config {
  const settings = new SettingReader(environment);
  const port = settings.read('PORT', 3000, asPort);
  const config: Config = {
    http: {
      port,
      host: settings.read('HERALD_HOST', '0.0.0.0', asText),
      publicUrl: settings.read('HERALD_PUBLIC_URL', `http://localhost:${port}`, asUrl),
    },
    mongodb: {
      uri: settings.read('MONGODB_URI', undefined, asText),
      database: settings.read('HERALD_DATABASE', 'agent_herald', asText),
    },
    temporal: readTemporal(settings, environment),
    egress: {
      allowHttp: settings.read('HERALD_ALLOW_HTTP_WEBHOOKS', false, asBoolean),
      ports: settings.read('HERALD_WEBHOOK_PORTS', [443, 8443], asWebhookPorts),
      allowHosts: settings.read('HERALD_ALLOW_HOSTS', [], asHostNames),
      allowCidrs: settings.read('HERALD_ALLOW_CIDRS', [], asCidrs),
      denyCidrs: settings.read('HERALD_DENY_CIDRS', [], asCidrs),
    },
    egressProxy: settings.read<EgressProxy | null>('HERALD_EGRESS_PROXY', null, parseEgressProxy),
    retryScheduleMs: settings.read('HERALD_RETRY_SCHEDULE', defaultRetryScheduleMs, asSchedule),
    deactivateAfterMs: settings.read('HERALD_DEACTIVATE_AFTER', 5 * dayMs, asLongDuration),
    retention: {
      recordsMs: settings.read('HERALD_RETENTION', 30 * dayMs, asRetention),
      heldMs: settings.read('HERALD_HELD_FOR', 3 * dayMs, asLongDuration),
    },
    eventsPerWorkflowMax: settings.read(
      'HERALD_EVENTS_PER_WORKFLOW',
      idsPerSearchAttributeMax,
      asNumberUpTo(idsPerSearchAttributeMax),
    ),
    workflowStartsPerSecond: settings.read(
      'HERALD_WORKFLOW_STARTS_PER_SECOND',
      25,
      asNumberUpTo(1_000),
    ),
    userTokenLifetimeMs: settings.read('HERALD_USER_TOKEN_LIFETIME', 900_000, asTokenLifetime),
    sealingKeys: settings.read('HERALD_SECRET_KEYS', undefined, parseKeyRing),
    keyPepper: settings.read('HERALD_KEY_PEPPER', undefined, asPepper),
    workflowBundlePath: settings.read('HERALD_WORKFLOW_BUNDLE', '', asText) || null,
  };
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return config;
}

/** What a process logs of its settings at its start: secrets only as whether they are set. */
export function summarizeConfig(config: Config): Record<string, unknown> {
  const mongodb = parseUrl(config.mongodb.uri)?.host ?? 'set';
  return {
    port: config.http.port,
    host: config.http.host,
    publicUrl: config.http.publicUrl,
    mongodbHost: mongodb,
    mongodbDatabase: config.mongodb.database,
    temporalAddress: config.temporal.address,
    temporalNamespace: config.temporal.namespace,
    allowHttpWebhooks: config.egress.allowHttp,
    webhookPorts: config.egress.ports,
    allowHosts: config.egress.allowHosts,
    allowCidrs: config.egress.allowCidrs,
    denyCidrs: config.egress.denyCidrs,
    egressProxy: config.egressProxy && `${config.egressProxy.host}:${config.egressProxy.port}`,
    retrySteps: config.retryScheduleMs.length,
    deactivateAfterMs: config.deactivateAfterMs,
    retentionMs: config.retention.recordsMs,
    heldForMs: config.retention.heldMs,
    eventsPerWorkflowMax: config.eventsPerWorkflowMax,
    workflowStartsPerSecond: config.workflowStartsPerSecond,
    userTokenLifetimeMs: config.userTokenLifetimeMs,
    sealingKeyIds: config.sealingKeys.map((key) => key.id),
    keyPepperConfigured: true,
    workflowBundle: config.workflowBundlePath === null ? 'built at start' : 'prebuilt',
  };
}
