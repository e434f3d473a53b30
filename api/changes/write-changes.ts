// Writes changes and their events, in a transaction if they need one.
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

/** Acts only through the session. Runs again after a write conflict, with the time and event uid of that run. */
export type Write<T, Changed = Change> = (
  session: ClientSession,
  now: Date,
  eventId: string,
) => Promise<{ answer: T; changes: readonly Changed[] }>;

export interface PendingChange<T = unknown> {
  appUid: string;
  /** By `performance.now()`. Not started later, because its caller has been told that it failed. */
  beginBeforeMs: number;
  /** Or the change of a resource that is stored elsewhere: then only its event is written. */
  write: Write<T, AddressedChange> | AddressedChange;
  /** The idempotency key, which is written with the response. Null without one. */
  once: IdempotentCall | null;
  /** The trace of the request. Absent if none is recorded. */
  trace?: TraceContext;
}

export interface Committed<T = unknown> {
  answer: T;
  recorded: Recorded[];
}

/** A change that has been written, but not its events. */
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
 * A report needs only an insert and a sequence, unless the event and its number in a partition must be committed
 * together. A transaction would keep the counter locked until its timeout if the process were killed.
 */
export function isPlain({ write, once }: PendingChange): boolean {
  return typeof write !== 'function' && once === null && !isForOrdered(write);
}

/** Writes a change in the transaction. The uid is that of its event, if it has one. */
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

/** Returns a change of which only the event needs to be written. */
export function writtenElsewhere({ write: reported, ...change }: PendingChange): Written {
  if (typeof reported === 'function')
    throw new Error('a change was to be written in a transaction');
  return { ...change, answer: null, changes: [reported] };
}

/** Writes the events of changes and the responses for repeats. Without a session, only those of plain reports. */
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
