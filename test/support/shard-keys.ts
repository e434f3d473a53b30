// Watches the commands that services in a test send to `events` and `deliveries`. Where these collections are sharded by
// hashed `_id`, a command without the `_id` goes to every shard.
import type { Document } from 'mongodb';
import { ObservedConnection } from '../../lib/mongo/connection.ts';

type Allowed = readonly [commands: string, fields: string, reason: string];

/** The commands that may go to every shard: the fields of their filters (with `?`: in some of them), and the reason. */
export const toEveryShard: readonly Allowed[] = [
  [
    'events find',
    'dispatchedAt workflowId? createdAt?',
    'relay: each second, and figures of the backlog',
  ],
  ['events aggregate', 'dispatchedAt', 'metrics: undispatched events'],
  ['events aggregate', '$changeStream', 'live stream: one for each api with readers'],
  ['events find', '$and', 'live stream: stored events for a reader that comes back'],
  [
    'events find',
    'appUid event $and? _id? externalTenantId? resourceUid?',
    'API: lists of events and tenants',
  ],
  ['events find', 'appUid _id? $or?', 'pages of replays and erasures'],
  ['events find', 'appUid resourceUid event?', 'pages of a sync'],
  [
    'events find',
    'appUid entity order order.n resourceUid',
    'order: a number is known, and not its event',
  ],
  ['events find', '_id', 'retention: the end of a batch'],
  ['events delete', '_id dispatchedAt', 'retention'],
  [
    'deliveries find',
    'appUid state event? $and? _id? errorClass? externalTenantId? statusClass? webhookUid?',
    'API: lists',
  ],
  ['deliveries find', '_id', 'API: the deliveries of an event; retention: the end of a batch'],
  ['deliveries aggregate', 'appUid state webhookUid?', 'API: counts'],
  ['deliveries aggregate', 'requeuedBy state', 'API: the outcomes of a job'],
  [
    'deliveries find',
    'appUid state updatedAt webhookUid _id?',
    'webhook health: once for each notice',
  ],
  ['deliveries find', 'appUid state webhookUid $or? _id?', 'pages of a release'],
  ['deliveries find', 'appUid state webhookUid eventId', 'pages of a replay'],
  ['deliveries find', 'jobPage jobUid', 'the deliveries that a page of a job took'],
  ['deliveries update', '_id state? $or?', 'erasures: all deliveries of an event'],
  ['deliveries distinct', '_id partition state', 'erasures: the partitions to signal'],
  ['deliveries find', 'state updatedAt', 'retention: deliveries held for too long'],
  ['deliveries find', '_id $or', 'retention: events to keep'],
  ['deliveries delete', '_id eventId state updatedAt', 'retention'],
  ['deliveries find', '', 'statistics: the first delivery, once'],
  [
    'deliveries find',
    'updatedAt appUid? attempts.0.at? event? webhookUid?',
    'statistics: each minute, and uncounted ones',
  ],
  ['deliveries aggregate', 'updatedAt', 'statistics: how many are uncounted'],
  ['deliveries aggregate', 'state', 'metrics: open deliveries'],
  ['deliveries find', 'jobUid state', 'metrics: the oldest open delivery'],
  ['deliveries find', 'nextAttemptAt', 'metrics: overdue deliveries'],
];

/** The timeout by which the tests' own connections are recognised. */
export const testSocketTimeoutMs = 15_001;

const watched: ReadonlySet<unknown> = new Set(['events', 'deliveries']);
const found = new Map<string, number>();
const send: ObservedConnection['command'] = Reflect.get(ObservedConnection.prototype, 'command');

/** Begins to watch the connections of this process; again for each test file. */
export function watchShardKeys(): void {
  found.clear();
  ObservedConnection.prototype.command = function (...args: Parameters<typeof send>) {
    if (!isOfTest(this)) note(args[1]);
    return send.apply(this, args);
  };
}

export function isWatching(): boolean {
  return ObservedConnection.prototype.command !== send;
}

/** Stops watching. Returns the commands without a shard key that are not in the list. */
export function commandsWithoutShardKey(): string[] {
  ObservedConnection.prototype.command = send;
  return [...found.keys()]
    .filter((shape) => !toEveryShard.some((allowed) => isLike(shape, allowed)))
    .sort();
}

function note(command: Document): void {
  const [[name, collection] = ['', '']] = Object.entries(command);
  if (!watched.has(collection)) return;
  for (const filter of filtersOf(name, command)) {
    if (hasShardKey(filter)) continue;
    const shape = `${String(collection)} ${name} ${Object.keys(filter).sort().join(' ')}`;
    found.set(shape, (found.get(shape) ?? 0) + 1);
  }
}

/** Returns the filters of a command. An insert and the next batch of a cursor have none. */
function filtersOf(name: string, command: Document): Document[] {
  const changes: unknown = command['updates'] ?? command['deletes'];
  if (changes !== undefined) return listed(changes).map(({ q }) => q as Document);
  if (name === 'aggregate') {
    const [first] = command['pipeline'] as Document[];
    return [(first?.['$match'] ?? first ?? {}) as Document];
  }
  if (!['find', 'findAndModify', 'distinct', 'count'].includes(name)) return [];
  return [(command['filter'] ?? command['query'] ?? {}) as Document];
}

// The driver sends long lists apart from their command.
function listed(changes: unknown): Document[] {
  return Array.isArray(changes) ? changes : (changes as { documents: Document[] }).documents;
}

function hasShardKey({ _id: id }: Document): boolean {
  if (typeof id === 'string') return true;
  const ids: unknown = (id as Document | undefined)?.['$in'];
  return Array.isArray(ids) && ids.every((each) => typeof each === 'string');
}

function isLike(shape: string, [commands, fields]: Allowed): boolean {
  const [collection, name, ...own] = shape.split(' ').filter((word) => word !== '');
  const words = fields.split(' ').filter((word) => word !== '');
  const needed = words.filter((word) => !word.endsWith('?'));
  const known = new Set(words.map((word) => word.replace('?', '')));
  return (
    `${collection} ${name}` === commands &&
    needed.every((word) => own.includes(word)) &&
    own.every((word) => known.has(word))
  );
}

// The driver's types do not have the field.
function isOfTest(connection: object): boolean {
  return (connection as { socketTimeoutMS?: number }).socketTimeoutMS === testSocketTimeoutMs;
}
