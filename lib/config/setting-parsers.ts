// Parsers of settings. Each throws an Error that says what is valid.
import { parseSchedule } from '../webhooks/retry-schedule.ts';
import { minuteMs, parseDurationMs } from '../platform/duration.ts';
import { limits } from '../limits.ts';
import { isHostName, isThisMachine } from '../egress/host-name.ts';
import { checkMailUrl } from '../egress/mail-url.ts';
import { isCidr } from '../egress/parse-address.ts';
import { parseUrl } from '../egress/parse-url.ts';

/** Rejects a display name: the service adds its own. */
export function asAddress(text: string): string {
  if (checkMailUrl(`mailto:${text}`, { mail: {} }).ok) return text;
  throw new Error(`must be a plain address such as herald@example.com (got "${text}")`);
}

export const asText = (text: string): string => text;

export function asPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`must be a port from 0 to 65535 (got "${text}")`);
  }
  return port;
}

/** An issuer vouches for admins, so it must use TLS, except on this machine. */
export function asIssuer(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname)))
    return text;
  throw new Error(`must be an https address (got "${text}")`);
}

export function asBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`must be true or false (got "${text}")`);
}

/** Returns one canonical form, because providers and verifiers compare it; without a trailing slash. */
export function asPublicUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url === null) throw new Error(`must be an http or https address (got "${text}")`);
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new Error('must have no user, no query and no fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Returns the template unchanged; the ID of a trace replaces `{traceId}`. */
export function asTraceUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url === null) throw new Error(`must be an http or https address (got "${text}")`);
  if (`${url.username}${url.password}` !== '') throw new Error('must have no user');
  const behind = text.slice(text.indexOf('/', text.indexOf('://') + 3));
  if (behind.split('{traceId}').length !== 2) {
    throw new Error('must have {traceId} once, after the host');
  }
  return text;
}

function asList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function requireEach(
  entries: string[],
  isValid: (entry: string) => boolean,
  what: string,
): string[] {
  const faulty = entries.find((entry) => !isValid(entry));
  if (faulty !== undefined) throw new Error(`"${faulty}" is not ${what}`);
  return entries;
}

export function asCidrs(text: string): string[] {
  return requireEach(asList(text), isCidr, 'an address range such as 10.0.0.0/8');
}

export function asHostNames(text: string): string[] {
  const names = asList(text).map((name) => name.toLowerCase());
  return requireEach(names, isHostName, 'a host name such as hooks.internal');
}

export function asWebhookPorts(text: string): number[] | 'any' {
  return text === 'any' ? 'any' : asList(text).map(asPort);
}

export const asSchedule = (text: string): number[] => parseSchedule(asList(text));

function asDuration(min: string, max: string): (text: string) => number {
  return (text) => {
    const durationMs = parseDurationMs(text);
    if (durationMs < parseDurationMs(min) || durationMs > parseDurationMs(max)) {
      throw new Error(`must be from ${min} to ${max} (got "${text}")`);
    }
    return durationMs;
  };
}

// A stop takes another 10 s.
export const asDrain = asDuration('0s', '60s');
export const asLongDuration = asDuration('1m', '365d');
// Events must outlive the retries of their deliveries: 15 days (`attemptLimits.retriesTimeoutMs`).
export const asRetention = asDuration('15d', '3650d');
export const asTokenLifetime = asDuration(
  `${limits.userTokenLifetimeMinMs / minuteMs}m`,
  `${limits.userTokenLifetimeMaxMs / minuteMs}m`,
);
// A key is published an hour before it signs, and kept for more than an hour after.
export const asRotation = asDuration('1d', '365d');

export function asShare(text: string): number {
  const share = Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new Error(`must be a number from 0 to 1 (got "${text}")`);
}

export function asNumberUpTo(max: number, min = 1): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= min && count <= max) return count;
    throw new Error(`must be a whole number from ${min} to ${max} (got "${text}")`);
  };
}

export function asPepper(text: string): string {
  if (Buffer.byteLength(text) < 32) {
    throw new Error(`must be at least 32 bytes (got ${Buffer.byteLength(text)})`);
  }
  return text;
}

export function asProxyHops(text: string): number {
  if (/^[0-9]$/.test(text)) return Number(text);
  throw new Error(`must be a number of proxies from 0 to 9 (got "${text}")`);
}

export function asEndpoint(text: string): string {
  if (/^https?:\/\//i.test(text) && parseUrl(text) !== null) return text;
  throw new Error('must be an http or https address');
}

export function asProtocol(text: string): string {
  if (text === 'http/protobuf') return text;
  throw new Error(`must be http/protobuf (got "${text}")`);
}

export function asExporter(text: string): string {
  if (text === 'otlp' || text === 'none') return text;
  throw new Error(`must be otlp or none (got "${text}")`);
}
