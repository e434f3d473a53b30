// Checks the text of a webhook's URL; the address behind a name is checked at connect.
import { domainToUnicode } from 'node:url';
import { hasInvisible } from '../platform/unicode.ts';
import { type AddressGuard, addressGuardOf } from './address-guard.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { isLocalhostName, refuseHostName, withoutTrailingDot } from './host-name.ts';
import { parseAddress } from './parse-address.ts';
import { parseUrl } from './parse-url.ts';

export type WebhookUrlCheck =
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly reason: string };

export const webhookUrlCharactersMax = 2_048;

// `new URL` drops tabs and newlines, trims spaces and reads a backslash as a slash.
// oxlint-disable-next-line no-control-regex -- control characters are meant
const forbiddenCharacters = /[\u0000-\u0020\u007f-\u009f\\]/;

// Only `new URL` finds a host in `https:/x` and `https:///x`.
const httpStart = /^https?:\/\/[^/?#]/i;

// ASCII is excluded: only percent-encoded ASCII can occur here.
const blankCharacters = /(?!\p{ASCII})[\p{Cc}\p{Z}]/u;

/** Checks a URL from a caller like `checkStoredUrl`, and that everything it contains is visible. */
export function checkWebhookUrl(text: string, policy: EgressPolicy): WebhookUrlCheck {
  const checked = checkStoredUrl(text, policy);
  // Most URLs need no decoding.
  if (!checked.ok || !/%[c-f]|xn--/i.test(checked.url)) return checked;
  const shown = readableForm(checked.url);
  const isReadable = !hasInvisible(shown) && !blankCharacters.test(shown);
  return isReadable ? checked : { ok: false, reason: 'url must not contain invisible characters' };
}

/**
 * Returns the canonical URL (WHATWG, ASCII host) to store and to connect with, so that check and connection never parse
 * one text differently. Throws a TypeError for an invalid range in the policy.
 */
export function checkStoredUrl(text: string, policy: EgressPolicy): WebhookUrlCheck {
  const textRefusal = refuseText(text, policy);
  if (textRefusal !== null) return { ok: false, reason: textRefusal };
  const url = parseUrl(text);
  if (url === null) return { ok: false, reason: 'url is not a valid URL' };
  // An empty query would be shown but not sent.
  if (url.href.endsWith('?') && url.search === '') url.search = '';
  const refusal =
    refuseLength(url.href.length) ??
    refuseScheme(url.protocol.slice(0, -1), policy) ??
    refusePort(url, policy) ??
    refuseHost(url.hostname, policy);
  return refusal === null ? { ok: true, url: url.href } : { ok: false, reason: refusal };
}

// The form for people: the host before IDNA, and the rest before percent-encoding.
function readableForm(url: string): string {
  const host = /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? '';
  const decoded = url.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return host.includes('xn--') ? domainToUnicode(host) + decoded : decoded;
}

// Rejects characters and parts that parsing would hide.
function refuseText(text: string, policy: EgressPolicy): string | null {
  const lengthRefusal = refuseLength(text.length);
  if (lengthRefusal !== null) return lengthRefusal;
  if (forbiddenCharacters.test(text)) {
    return 'url must not contain spaces, control characters or backslashes';
  }
  if (!httpStart.test(text)) return refuseStart(text, policy);
  // `new URL` drops an empty user name.
  const authority = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
  if (authority.includes('@')) return 'url must not contain a user name or password';
  return text.includes('#') ? 'url must not contain a fragment' : null;
}

function refuseStart(text: string, policy: EgressPolicy): string {
  const scheme = /^([a-z][a-z0-9+.-]{0,31}):/i.exec(text)?.[1]?.toLowerCase();
  const other = scheme === undefined || scheme === 'https' || scheme === 'http';
  if (other) return 'url must begin with https:// and a host name';
  return refuseScheme(scheme, policy) ?? 'url is not a valid URL';
}

function refuseLength(characters: number): string | null {
  if (characters <= webhookUrlCharactersMax) return null;
  return `url must be at most ${webhookUrlCharactersMax} characters (got ${characters})`;
}

function refuseScheme(scheme: string, policy: EgressPolicy): string | null {
  if (scheme === 'https' || (scheme === 'http' && policy.allowHttp)) return null;
  return `url must be ${policy.allowHttp ? 'https or http' : 'https'} (got ${scheme})`;
}

function refusePort(url: URL, { allowHttp, ports }: EgressPolicy): string | null {
  const port = url.port === '' ? defaultPort(url) : Number(url.port);
  if (port === 0) return 'url must not use port 0';
  if (ports === 'any') return null;
  const usable = allowHttp ? [...ports, 80] : ports;
  if (usable.includes(port)) return null;
  return `url port must be one of ${usable.join(', ')} (got ${port})`;
}

function defaultPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

function refuseHost(hostname: string, policy: EgressPolicy): string | null {
  const guard = addressGuardOf(policy);
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (literal !== hostname || parseAddress(literal) !== null) {
    return guard.verdict(literal).allowed ? null : `url host ${hostname} is not a public address`;
  }
  const name = withoutTrailingDot(hostname);
  if (isLocalhostName(name) && allowsLoopback(guard)) return null;
  const refusal = refuseHostName(name, policy.allowHosts);
  return refusal === null ? null : `url host ${hostname} ${refusal}`;
}

function allowsLoopback(guard: AddressGuard): boolean {
  return guard.verdict('127.0.0.1').allowed || guard.verdict('::1').allowed;
}
