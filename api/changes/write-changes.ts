// Writes changes and their events, in a transaction where they need one.
import type { ClientSession } from 'mongodb';
import type { TraceContext } from '../../lib/model/trace-context.ts';
import { type IdempotentCall, keepAnswers } from '../../lib/mongo/idempotency.ts';
import { within } from '../../lib/mongo/transaction.ts';
import {
  type AddressedChange,
  type Change,
  type EventPorts,
  isForOrdered,
  makeEvents,
  type Recorded,
} from './make-events.ts';

/** Acts through the session alone; runs again on a write conflict, with the time and the event's uid of that run. */
export type Write<T, Changed = Change> = (
  session: ClientSession,
  now: Date,
  eventId: string,
) => Promise<{ answer: T; changes: readonly Changed[] }>;

export interface PendingChange<T = unknown> {
  appUid: string;
  /** By `performance.now()`. Later its caller has been told that it failed, so it is not begun. */
  beginBeforeMs: number;
  /** Or the change of a resource that lives elsewhere: then only its event is written. */
  write: Write<T, AddressedChange> | AddressedChange;
  /** With an idempotency key, which is written with the answer; null without one. */
  once: IdempotentCall | null;
  /** Of the request; absent where none is recorded. */
  trace?: TraceContext;
}

export interface Committed<T = unknown> {
  answer: T;
  recorded: Recorded[];
}

/** A change that is written, and its events not yet. */
export type Written = Omit<PendingChange, 'write'> & {
  answer: unknown;
  changes: readonly AddressedChange[];
};

/** One run of a transaction. */
export interface Making {
  now: Date;
  session: ClientSession;
}

/**
 * A report is one insert and the count before it, unless turn number and event have to be committed together. Without
 * a transaction, which would lock what it counted until its timeout when the process is killed.
 */
export function isPlain({ write, once }: PendingChange): boolean {
  return typeof write !== 'function' && once === null && !isForOrdered(write);
}

/** Writes a change in the transaction. The uid is that of its event, where it has one. */
export async function writeChange(
  change: PendingChange,
  { now, session }: Making,
  eventId: string,
): Promise<Written> {
  const { write } = change;
  const written =
    typeof write === 'function'
      ? { ...change, ...(await write(session, now, eventId)) }
      : writtenElsewhere(change);
  const [only] = written.changes;
  if (only === undefined || written.changes.length > 1) return written;
  return { ...written, changes: [{ ...only, eventId }] };
}

/** Returns a change that needs no write but that of its event. */
export function writtenElsewhere({ write: reported, ...change }: PendingChange): Written {
  if (typeof reported === 'function')
    throw new Error('a change was to be written in a transaction');
  return { ...change, answer: null, changes: [reported] };
}

/** Writes the events of changes and the answers for repeats; without a session, only those of plain reports. */
export async function recordEvents(
  ports: EventPorts,
  written: readonly Written[],
  { now, session }: Omit<Making, 'session'> & Partial<Making>,
): Promise<Committed[]> {
  const recorded = await makeEvents(ports, written, { now, session });
  const events = recorded.flat().map(({ event }) => event);
  if (events.length > 0) {
    await ports.store.events.insertMany(events, { ordered: false, ...within(session) });
  }
  if (session !== undefined) {
    const answered = written.flatMap(({ once, answer }) => (once === null ? [] : { once, answer }));
    await keepAnswers(ports.store, answered, session);
  }
  return written.map(({ answer }, index) => ({ answer, recorded: recorded[index] ?? [] }));
}
