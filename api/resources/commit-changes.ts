// Commits changes with their events, together those that come together (ADR 21).
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, context as otel } from '@opentelemetry/api';
import { type ClientSession, MongoError, MongoErrorLabel } from 'mongodb';
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import type { TraceContext } from '../../lib/model/trace-context.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { keepAnswers, type Once, refuseRepeats } from '../../lib/mongo/idempotency.ts';
import { inTransaction, within } from '../../lib/mongo/transaction.ts';
import { inSharedSpan } from '../../lib/telemetry/spans.ts';
import { AppError } from '../../lib/platform/errors.ts';
import {
  type Change,
  type EventPorts,
  isForOrdered,
  makeEvents,
  type Recorded,
} from './make-events.ts';

/** Acts through the session alone; runs again on a write conflict. */
export type Write<T> = (
  session: ClientSession,
  now: Date,
) => Promise<{ answer: T; changes: readonly Change[] }>;

export interface PendingChange<T = unknown> {
  appUid: string;
  now: Date;
  webhooks: readonly WebhookDocument[];
  /** Or the change of a resource that lives elsewhere: then only its event is written. */
  write: Write<T> | Change;
  /** With an idempotency key, which is written with the answer; null without one. */
  once: Once | null;
  /** Of the request; absent where none is recorded. */
  trace?: TraceContext;
}

export interface Committed<T = unknown> {
  answer: T;
  recorded: Recorded[];
}

/** Resolves once a majority of the servers has the change and its events in its journal. */
export type ChangeCommitter = (change: PendingChange) => Promise<Committed>;

const groups = { itemsPerCallMax: 50, callsAtOnceMax: 1 };
const runsTogetherMax = 3;

export function createChangeCommitter(ports: EventPorts): ChangeCommitter {
  const plain = createGroups(ports, {
    commitGroup: insertTogether,
    queueOf: () => '',
    nextGroupAfterMs: 250,
    conflict: false,
  });
  const others = createGroups(ports, {
    commitGroup: commitTogether,
    queueOf: ({ appUid }) => appUid,
    nextGroupAfterMs: 4_000,
    conflict: true,
  });
  return (change) => (isPlain(change) ? plain(change) : others(change));
}

/** Commits a group; null, and no event is written, where each has to go alone. */
type CommitGroup = (
  ports: EventPorts,
  changes: readonly PendingChange[],
) => Promise<Committed[] | null>;

interface Groups {
  commitGroup: CommitGroup;
  /** Changes of one queue form groups, one at a time. */
  queueOf: (change: PendingChange) => string;
  /** The next group waits no longer for the one before. */
  nextGroupAfterMs: number;
  /** True where transactions of a queue would conflict: those that go alone go one after another. */
  conflict: boolean;
}

function createGroups(
  ports: EventPorts,
  { commitGroup, queueOf, nextGroupAfterMs, conflict }: Groups,
): ChangeCommitter {
  const commitCalls = async (calls: readonly Call[]) => {
    const changes = calls.map(({ change }) => change);
    const callers = calls.map(({ caller }) => caller);
    const together =
      changes.length > 1
        ? inSharedSpan('commit changes together', callers, () => commitGroup(ports, changes))
        : Promise.resolve(null);
    let before: Promise<unknown> = together;
    const commits = calls.map(({ change, caller }, index) => {
      const commit = commitAfter(before, async () => {
        const committed = await together;
        if (committed !== null) return at(committed, index);
        return otel.with(caller, () => commitAlone(ports, change));
      });
      if (conflict) before = commit;
      return commit;
    });
    await Promise.race([Promise.allSettled(commits), sleep(nextGroupAfterMs)]);
    return commits.map((commit) => ({ commit }));
  };
  const begin = coalesce(groups, commitCalls, ({ change }) => queueOf(change));
  return async (change) => (await begin({ change, caller: otel.active() })).commit;
}

async function commitAfter<T>(before: Promise<unknown>, commit: () => Promise<T>): Promise<T> {
  await before.catch(() => undefined);
  return commit();
}

/** `caller` has its trace. */
interface Call {
  change: PendingChange;
  caller: Context;
}

function at(committed: readonly Committed[], index: number): Committed {
  const found = committed[index];
  if (found === undefined) throw new Error('a change was not committed');
  return found;
}

/** Writes changes and their events, without a session only plain reports. */
async function commitIn(
  ports: EventPorts,
  changes: readonly PendingChange[],
  session?: ClientSession,
): Promise<Committed[]> {
  const calls = changes.flatMap(({ once }) => once ?? []);
  if (session !== undefined) await refuseRepeats(ports.store, calls, session);
  const made = [];
  for (const { write, ...change } of changes) {
    if (typeof write !== 'function') made.push({ ...change, answer: null, changes: [write] });
    else if (session !== undefined) made.push({ ...change, ...(await write(session, change.now)) });
  }
  const recorded = await makeEvents(ports, made, session);
  const events = recorded.flat().map(({ event }) => event);
  if (events.length > 0) {
    await ports.store.events.insertMany(events, { ordered: false, ...within(session) });
  }
  if (session !== undefined) {
    const answered = made.flatMap(({ once, answer }) => (once === null ? [] : { once, answer }));
    await keepAnswers(ports.store, answered, session);
  }
  return made.map(({ answer }, index) => ({ answer, recorded: recorded[index] ?? [] }));
}

// A report is one insert and the count before it, unless turn number and event have to be committed together. Without
// a transaction, which would lock what it counted until its timeout when the process is killed.
function isPlain({ write, webhooks, once }: PendingChange): boolean {
  return typeof write !== 'function' && once === null && !isForOrdered(webhooks, write);
}

/** Commits a change, in a transaction of its own if it needs one. */
export async function commitAlone(ports: EventPorts, change: PendingChange): Promise<Committed> {
  const committed = isPlain(change)
    ? await commitIn(ports, [change])
    : await inTransaction(ports.store, (session) => commitIn(ports, [change], session));
  return at(committed, 0);
}

class NotTogether extends Error {}

// Null where one is refused.
const insertTogether: CommitGroup = async (ports, changes) => {
  try {
    return await commitIn(ports, changes);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
};

// Null where one is refused, or they meet other transactions.
const commitTogether: CommitGroup = async (ports, changes) => {
  let runs = 0;
  try {
    return await inTransaction(ports.store, async (session) => {
      runs += 1;
      if (runs > runsTogetherMax) throw new NotTogether();
      try {
        return await commitIn(ports, changes, session);
      } catch (error) {
        throw isTransient(error) ? error : new NotTogether();
      }
    });
  } catch (error) {
    if (error instanceof NotTogether) return null;
    throw error;
  }
};

// The driver begins such a transaction again.
function isTransient(error: unknown): boolean {
  return (
    error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError)
  );
}
