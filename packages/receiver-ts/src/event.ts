// Parses the event in a body.
import { type KnownEvent, knownEventNames } from './events.ts';
import { WebhookRefused } from './refusal.ts';

/**
 * Any name that is not a `KnownEventName`. To the compiler it is a pattern that no known name fits, so that
 * `event.event === 'agent.created'` narrows the type of `data`; with `string`, it would not.
 */
export type UnknownEventName = `(unknown) ${string}`;

/** An event, or a version of one, that is newer than this release. */
export interface UnknownEvent {
  eventId: string;
  event: UnknownEventName;
  timestamp: string;
  appUid: string;
  version: number;
  test?: boolean;
  sequence?: number;
  data: { uid: string; [field: string]: unknown };
}

/** `event.event` determines the type of `data`, in version 1. A later version of an event is known by its `version`. */
export type WebhookEvent = KnownEvent | UnknownEvent;

const known: ReadonlySet<string> = new Set(knownEventNames);

/** Checks whether this release has a type for the event: for its name and its version. */
export function isKnownEvent(event: WebhookEvent): event is KnownEvent {
  return event.version === 1 && known.has(event.event);
}

/** Returns the resource of an event: its kind and uid, such as `agent/agt_…`. */
export function resourceOf(event: WebhookEvent): string {
  return `${event.event.split('.', 1)[0]}/${event.data.uid}`;
}

const sequenceMax = 999_999_999_999_999;

/** Returns the number of the change, or null if the event has none. */
export function sequenceOf({ sequence = 0 }: WebhookEvent): number | null {
  const isNumber = Number.isInteger(sequence) && sequence >= 1 && sequence <= sequenceMax;
  return isNumber ? sequence : null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a body. Throws `WebhookRefused` if it lacks a field that all events have. */
export function readEvent(body: Uint8Array): WebhookEvent {
  const event = parse(body);
  if (!isObject(event)) throw invalid('is not a JSON object');
  for (const field of ['eventId', 'event', 'timestamp', 'appUid'])
    if (!isText(event[field])) throw invalid(`has no ${field}`);
  const { version, data } = event;
  if (!Number.isInteger(version) || (version as number) < 1) throw invalid('has no version');
  if (!isObject(data) || !isText(data['uid'])) throw invalid('has no data with a uid');
  return event as unknown as WebhookEvent;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw invalid('is not JSON in UTF-8');
  }
}

function invalid(what: string): WebhookRefused {
  return new WebhookRefused('invalid_body', `the body ${what}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
