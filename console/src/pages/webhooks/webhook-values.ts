// The values of the webhook form, and their conversion to request bodies.
import {
  type ChangeWebhookBody,
  type CreateWebhookBody,
  entities,
  type EventType,
  type SubscribedEventName,
  type Webhook,
} from '@agent-herald/client';
import { chosenEvents, subscriptionOf } from './event-choices.ts';

export interface Pair {
  name: string;
  value: string;
}

export interface WebhookValues {
  kind: Webhook['kind'];
  name: string;
  description: string;
  url: string;
  /** The names. `entities` are derived from them. */
  events: SubscribedEventName[];
  externalTenantIds: string[];
  /** JSON. Empty means no filter. */
  filter: string;
  ordering: Webhook['ordering'];
  ratePerSecond: number | '';
  ratePerSecondPerTenant: number | '';
  /** Null means the schedule of the service. */
  retrySchedule: string[] | null;
  signatures: Webhook['signatures'];
  cloudEvents: boolean;
  /** Only of a new webhook. Empty lets the service generate it. */
  secret: string;
  /** Null keeps the current headers, which nobody can read. */
  headers: Pair[] | null;
  auth: {
    type: 'keep' | 'none' | 'bearer' | 'basic';
    token: string;
    username: string;
    password: string;
  };
  tls: { type: 'keep' | 'none' | 'set'; certificate: string; key: string };
  metadata: Pair[];
  active: boolean;
}

const noAuth: WebhookValues['auth'] = { type: 'none', token: '', username: '', password: '' };
const noTls: WebhookValues['tls'] = { type: 'none', certificate: '', key: '' };

/** Returns the initial values for a new webhook: the default events of its kind. */
export function newValues(
  types: readonly EventType[],
  kind: Webhook['kind'] = 'resources',
): WebhookValues {
  return {
    kind,
    name: '',
    description: '',
    url: '',
    events: defaultEvents(kind, types),
    externalTenantIds: [],
    filter: '',
    ordering: 'parallel',
    ratePerSecond: '',
    ratePerSecondPerTenant: '',
    retrySchedule: null,
    signatures: ['v1'],
    cloudEvents: false,
    secret: '',
    headers: [],
    auth: noAuth,
    tls: noTls,
    metadata: [],
    active: true,
  };
}

/** Returns the events that webhooks of a kind get by default. */
export function defaultEvents(
  kind: Webhook['kind'],
  types: readonly EventType[],
): SubscribedEventName[] {
  return chosenEvents({ kind, entities: [...entities], events: null }, types);
}

/** Returns the initial values for an existing webhook. */
export function valuesOf(webhook: Webhook, types: readonly EventType[]): WebhookValues {
  const { kind, name, description, url, externalTenantIds, filter, metadata } = webhook;
  return {
    kind,
    name: name ?? '',
    description: description ?? '',
    url,
    events: chosenEvents(webhook, types),
    externalTenantIds: externalTenantIds ?? [],
    filter: filter === null ? '' : JSON.stringify(filter, null, 2),
    ordering: webhook.ordering,
    ratePerSecond: webhook.ratePerSecond ?? '',
    ratePerSecondPerTenant: webhook.ratePerSecondPerTenant ?? '',
    retrySchedule: webhook.retrySchedule,
    signatures: webhook.signatures,
    cloudEvents: webhook.cloudEvents,
    secret: '',
    headers: webhook.headers === null ? [] : null,
    auth: { ...noAuth, type: webhook.auth === null ? 'none' : 'keep' },
    tls: { ...noTls, type: webhook.tls === null ? 'none' : 'keep' },
    metadata: Object.entries(metadata ?? {}).map(([name, value]) => ({ name, value })),
    active: webhook.active,
  };
}

/** Returns the values that a tab may keep. */
export function withoutSecrets(
  values: WebhookValues,
): Omit<WebhookValues, 'headers' | 'auth' | 'tls' | 'secret'> {
  const { headers: _, auth: __, tls: ___, secret: ____, ...kept } = values;
  return kept;
}

/** Returns the body for the values. Throws if the filter is not valid JSON. */
export function bodyOf(values: WebhookValues, types: readonly EventType[]): CreateWebhookBody {
  const { kind, url, events, headers, metadata, active, secret } = values;
  const body: CreateWebhookBody = {
    kind,
    url: url.trim(),
    name: values.name.trim() || null,
    description: values.description.trim() || null,
    metadata: objectOf(metadata),
    ...subscriptionOf(kind, events, types),
    ratePerSecond: values.ratePerSecond === '' ? null : values.ratePerSecond,
    retrySchedule: values.retrySchedule?.map((wait) => wait.trim()) ?? null,
    signatures: values.signatures,
    cloudEvents: values.cloudEvents,
    ...(secret.trim() === '' ? {} : { secret: secret.trim() }),
    ...(headers === null ? {} : { headers: objectOf(headers) }),
    ...authOf(values.auth),
    ...tlsOf(values.tls),
    active,
  };
  if (kind === 'operations') return body;
  const { externalTenantIds, ordering, ratePerSecondPerTenant: perTenant } = values;
  return {
    ...body,
    ratePerSecondPerTenant: perTenant === '' ? null : perTenant,
    externalTenantIds: externalTenantIds.length === 0 ? null : externalTenantIds,
    filter: readFilter(values.filter),
    ordering,
  };
}

/** Returns only the changed fields, so that concurrent changes by others are not overwritten. */
export function changesOf(
  webhook: Webhook,
  values: WebhookValues,
  types: readonly EventType[],
): ChangeWebhookBody {
  const before = Object.entries(bodyOf(valuesOf(webhook, types), types));
  const was = new Map(before.map(([name, value]) => [name, JSON.stringify(value)]));
  const { kind: _, active: __, ...after } = bodyOf(values, types);
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== was.get(name),
  );
  return Object.fromEntries(changed);
}

/** Parses the text of a filter. An empty text means none. Throws a `SyntaxError`. */
function readFilter(text: string): NonNullable<CreateWebhookBody['filter']> | null {
  if (text.trim() === '') return null;
  const filter: unknown = JSON.parse(text);
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw new SyntaxError('write it as in {"live": true}');
  // The service validates the rest.
  return filter as NonNullable<CreateWebhookBody['filter']>;
}

/** Returns what is wrong with the text of a filter, or null. */
export function filterFault(text: string): string | null {
  try {
    readFilter(text);
    return null;
  } catch (error) {
    return `The filter is not a valid JSON object: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function objectOf(pairs: readonly Pair[]): Record<string, string> | null {
  const named = pairs.filter(({ name, value }) => name.trim() !== '' || value !== '');
  if (named.length === 0) return null;
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]));
}

function authOf({
  type,
  token,
  username,
  password,
}: WebhookValues['auth']): Pick<CreateWebhookBody, 'auth'> {
  if (type === 'keep') return {};
  if (type === 'none') return { auth: null };
  return { auth: type === 'bearer' ? { type, token } : { type, username, password } };
}

function tlsOf({ type, certificate, key }: WebhookValues['tls']): Pick<CreateWebhookBody, 'tls'> {
  if (type === 'keep') return {};
  return { tls: type === 'none' ? null : { certificate, key } };
}
