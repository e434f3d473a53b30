// All requests of an event have the bytes of its document, and signatures that were valid when they began.
import { createHmac, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import type { ReceivedRequest, SecretCall, Span } from '../history.ts';
import { effectEndMs, possibleSettings } from './calls.ts';
import type { Facts, Finding, Pair } from './facts.ts';

/** Null: a secret that the observer does not know. */
interface Secrets {
  /** Signs `X-Webhook-Signature`. */
  body: string | null;
  /** Sign `webhook-signature`, the newest first. */
  standard: (string | null)[];
}

/** A request has 5 s, and uses settings that are at most half a second old. */
const sendsWithinMs = 5_500;

export function signatures(facts: Facts): Finding[] {
  const found: Finding[] = [];
  const keys = new Map(
    [...facts.history.publicKeys].map(([appUid, jwks]) => [appUid, jwks.map(publicKeyOf)]),
  );
  const seen = new Set<string>();
  for (const pair of facts.pairs.values()) {
    const { event, webhook, requests } = pair;
    const { _id: eventId, sequence } = event;
    const body = facts.bodies.get(eventId);
    if (requests.length === 0) continue;
    const says = (what: string) =>
      found.push({ what: `${eventId}/${webhook.uid} ${what}`, eventId, webhookUid: webhook.uid });
    // Every request of it was cut before its body.
    if (body === undefined) continue;
    if (!seen.has(eventId)) {
      seen.add(eventId);
      if (event.body !== '' && event.body !== body) says('has other bytes than its document');
      if (!namesEvent(body, eventId, sequence)) says('has a body of another event or sequence');
    }
    const signed = phasesOf(webhook.secrets);
    for (const request of requests) {
      if (request.body !== null && request.body !== body) says('has other bytes than before');
      const wrong =
        wrongHeader(pair, request) ??
        wrongSignature(pair, { request, body, signed, keys: keys.get(event.appUid) ?? [] });
      if (wrong !== null) says(`attempt ${request.attempt} has a wrong ${wrong}`);
    }
  }
  return found;
}

/** A process that is frozen for 20 s sends what it had signed before. */
const staleMs = 30_000;

function publicKeyOf(jwk: Readonly<Record<string, unknown>>): KeyObject {
  return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
}

function namesEvent(body: string, eventId: string, sequence: number | null): boolean {
  const named = JSON.parse(body) as { eventId?: string; sequence?: number };
  return named.eventId === eventId && (named.sequence ?? null) === sequence;
}

function wrongHeader({ event, webhook }: Pair, request: ReceivedRequest): string | null {
  const expected: Record<string, string | undefined> = {
    'x-webhook-uid': webhook.uid,
    'x-webhook-event-id': event._id,
    'webhook-id': event._id,
    'x-webhook-sequence': event.sequence === null ? undefined : String(event.sequence),
    'x-webhook-attempt': String(request.attempt),
  };
  const wrong = Object.keys(expected).find((name) => request.headers[name] !== expected[name]);
  const sentMs = 1_000 * Number(request.headers['webhook-timestamp']);
  const isStale = !(Math.abs(sentMs - request.atMs) < staleMs);
  return wrong ?? (isStale ? 'webhook-timestamp' : null);
}

interface Phase extends Span {
  isSure: boolean;
  states: Secrets[];
}

/** Returns what may sign after each call. */
function phasesOf(calls: readonly SecretCall[]): Phase[] {
  let states: Secrets[] = [];
  return calls
    .filter(({ outcome }) => outcome !== 'refused')
    .map((call) => {
      const after = states.map((each) => change(each, call));
      if (call.kind === 'created') after.push({ body: call.secret, standard: [call.secret] });
      states = call.outcome === 'accepted' ? after : [...states, ...after];
      const isSure = call.outcome === 'accepted';
      return { startMs: call.startMs, endMs: effectEndMs(call), isSure, states };
    });
}

function change({ standard }: Secrets, { kind, secret }: SecretCall): Secrets {
  const [newest = null] = standard;
  return { body: newest, standard: kind === 'promoted' ? standard : [secret, newest] };
}

interface Signed {
  request: ReceivedRequest;
  body: string;
  signed: readonly Phase[];
  keys: readonly KeyObject[];
}

function wrongSignature({ webhook }: Pair, { request, body, signed, keys }: Signed): string | null {
  const { headers, atMs } = request;
  const span = { startMs: atMs - sendsWithinMs, endMs: atMs };
  const latest = signed.findLastIndex(({ endMs, isSure }) => isSure && endMs < span.startMs);
  const states = signed
    .slice(Math.max(0, latest))
    .filter(({ startMs }) => startMs <= atMs)
    .flatMap((phase) => phase.states);
  const id = `${headers['webhook-id']}.${headers['webhook-timestamp']}`;
  const entries = (headers['webhook-signature'] ?? '').split(' ');
  const v1 = entries.filter((each) => each.startsWith('v1,'));
  const v1a = entries.filter((each) => each.startsWith('v1a,'));
  const ofSecret = (secret: string | null, signature: string | undefined, content: string) =>
    secret === null || signature === content;
  const fits = ({ signatures: versions }: { signatures: string[] }): boolean =>
    versions.includes('v1') === v1.length > 0 && versions.includes('v1a') === v1a.length > 0;
  if (!possibleSettings(webhook, span).some(fits)) return 'set of signatures';
  const given = headers['x-webhook-signature'];
  const isBySecret = states.some(
    (each) =>
      ofSecret(each.body, given, hmacOfBody(each.body, body)) &&
      (v1.length === 0 || v1.length === each.standard.length) &&
      v1.every((entry, index) => {
        const secret = each.standard[index] ?? null;
        return ofSecret(secret, entry, hmacOf(secret, `${id}.${body}`));
      }),
  );
  if (!isBySecret) return 'signature by a secret';
  const content = Buffer.from(`${id}.${webhook.uid}.${body}`);
  const isByKey = v1a.every((entry) => {
    const bytes = Buffer.from(entry.slice('v1a,'.length), 'base64');
    return keys.some((key) => verify(null, content, key, bytes));
  });
  return isByKey ? null : 'signature by a key';
}

function hmacOfBody(secret: string | null, body: string): string {
  return `sha256=${createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex')}`;
}

function hmacOf(secret: string | null, content: string): string {
  const key = Buffer.from((secret ?? '').replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
