// Reads the text of one setting; what cannot be right is an Error that says what would be.
import { parseSchedule } from '../deliveries/retry-schedule.ts';
import { dayMs, minuteMs, parseDurationMs } from '../platform/duration.ts';
import { limits } from '../limits.ts';
import { isThisMachine } from '../egress/host-name.ts';
import { isHostName } from '../egress/host-name.ts';
import { isCidr } from '../egress/parse-address.ts';
import { parseUrl } from '../egress/parse-url.ts';

export const asText = (text: string): string => text;

export function asPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`must be a port from 0 to 65535 (got "${text}")`);
  }
  return port;
}

/** An issuer is used as it is written, and vouches for admins: nothing but TLS, except on this machine. */
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

/**
 * The address of the service, in one spelling: it is compared with what providers and verifiers were
 * told, and paths are put behind it.
 */
export function asPublicUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url === null) throw new Error(`must be an http or https address (got "${text}")`);
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new Error('must have no user, no query and no fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function asList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function asCidrs(text: string): string[] {
  const cidrs = asList(text);
  const faulty = cidrs.find((cidr) => !isCidr(cidr));
  if (faulty !== undefined)
    throw new Error(`"${faulty}" is not an address range such as 10.0.0.0/8`);
  return cidrs;
}

export function asHostNames(text: string): string[] {
  const names = asList(text).map((name) => name.toLowerCase());
  const faulty = names.find((name) => !isHostName(name));
  if (faulty !== undefined)
    throw new Error(`"${faulty}" is not a host name such as hooks.internal`);
  return names;
}

export function asWebhookPorts(text: string): number[] | 'any' {
  return text === 'any' ? 'any' : asList(text).map(asPort);
}

export const asSchedule = (text: string): number[] => parseSchedule(asList(text));

/** A time after which the service acts on old things: long enough for somebody to notice. */
export function asLongDuration(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs < minuteMs || durationMs > 365 * dayMs) {
    throw new Error(`must be from 1m to 365d (got "${text}")`);
  }
  return durationMs;
}

/**
 * How long records are kept: an event must outlive the retries of its deliveries, which end after 15
 * days (workflows/activity-options.ts), and the audit log what it may be asked about.
 */
export function asRetention(text: string): number {
  const retentionMs = parseDurationMs(text);
  if (retentionMs < 15 * dayMs || retentionMs > 3_650 * dayMs) {
    throw new Error(`must be from 15d to 3650d (got "${text}")`);
  }
  return retentionMs;
}

export function asTokenLifetime(text: string): number {
  const lifetimeMs = parseDurationMs(text);
  if (lifetimeMs < minuteMs || lifetimeMs > limits.userTokenLifetimeMaxMs) {
    throw new Error(`must be from 1m to 60m (got "${text}")`);
  }
  return lifetimeMs;
}

/** A day at least: a key is published an hour before it signs, and kept more than an hour after. */
export function asRotation(text: string): number {
  const rotationMs = parseDurationMs(text);
  if (rotationMs < dayMs || rotationMs > 365 * dayMs) {
    throw new Error(`must be from 1d to 365d (got "${text}")`);
  }
  return rotationMs;
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
