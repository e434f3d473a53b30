import type { DeliveredEventName } from './event-name.ts';

export interface ResourceData {
  uid: string;
  externalTenantId: string;
  [field: string]: unknown;
}

/** `data` of a revocation: tokens with a lower count are refused (ADR 12). `uid` is the user's or the application's. */
export interface RevocationData {
  uid: string;
  revokedAt: Date;
  /** The revocations of `uid` so far. */
  epoch: number;
}

/** `data` of the revocation of one token, whose claim `jti` is `tokenUid`; `uid` is the user's. */
export interface TokenRevocationData {
  uid: string;
  tokenUid: string;
  revokedAt: Date;
  /** The end of the token, or the latest possible one. */
  expiresAt: Date;
}

/** `data` of the revocation of all tokens whose claim `key` is `apiKeyUid`; `uid` is the application's. */
export interface KeyRevocationData {
  uid: string;
  apiKeyUid: string;
  revokedAt: Date;
}

export type Revocation =
  | { event: 'user.tokens_revoked' | 'application.tokens_revoked'; data: RevocationData }
  | { event: 'user.token_revoked'; data: TokenRevocationData }
  | { event: 'application.key_tokens_revoked'; data: KeyRevocationData };

/** Data as parsed from JSON: times are strings. */
export type Serialized<Data> = Data extends Date
  ? string
  : Data extends readonly unknown[]
    ? Data
    : Data extends object
      ? { [Field in keyof Data]: Serialized<Data[Field]> }
      : Data;

interface EventData {
  uid: string;
  [field: string]: unknown;
}

interface EventEnvelope {
  eventId: string;
  event: DeliveredEventName;
  timestamp: Date;
  appUid: string;
  data: EventData;
  /** The data as JSON written by the reporting caller, sent byte for byte. */
  dataText?: string | undefined;
  /** Sent on request, to check a webhook. */
  isTest?: boolean;
}

/** Returns the body of all attempts (docs/webhooks.md, "Events"); stored, so that signing never serialises again. */
export function renderPayload(envelope: EventEnvelope): string {
  const head = JSON.stringify({
    eventId: envelope.eventId,
    event: envelope.event,
    timestamp: envelope.timestamp.toISOString(),
    appUid: envelope.appUid,
    version: 1,
    ...(envelope.isTest === true ? { test: true } : {}),
  });
  return withField(head, 'data', envelope.dataText ?? JSON.stringify(envelope.data));
}

/** Appends a field with a JSON value to a serialised, non-empty object. */
export function withField(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)},"${name}":${value}}`;
}

/** Appends the number of the change. It comes last, because a change is numbered once its payload is accepted. */
export function withSequence(body: string, sequence: number): string {
  return withField(body, 'sequence', String(sequence));
}

/** The most that `withSequence` appends. */
export const sequenceBytesMax = withSequence(' ', Number.MAX_SAFE_INTEGER).length - 1;

/** Parses the data of a payload. */
export function readData(body: string): unknown {
  return (JSON.parse(body) as Pick<EventEnvelope, 'data'>).data;
}
