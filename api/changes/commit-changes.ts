// Commits changes with their events, concurrent ones together (ADR 42).
import { type Context, context as otel } from '@opentelemetry/api';
import type { ClientSession } from 'mongodb';
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { withTimeout } from '../../lib/concurrency/with-timeout.ts';
import { isDatabaseUnavailable } from '../../lib/mongo/database-unavailable.ts';
import { RepeatedKey, usedKeys } from '../../lib/mongo/idempotency.ts';
import { inTransaction, isWriteConflict } from '../../lib/mongo/transaction.ts';
import { newId } from '../../lib/platform/ids.ts';
import { inSharedSpan } from '../../lib/telemetry/spans.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { EventPorts } from './make-events.ts';
import {
  type Committed,
  isPlain,
  type PendingChange,
  recordEvents,
  writeChange,
  type Written,
  writtenElsewhere,
} from './write-changes.ts';

/** Resolves once the change and its events are in the journals of a majority of the servers. */
export type ChangeCommitter = (change: PendingChange) => Promise<Committed>;

const groups = { itemsPerCallMax: 50, concurrentCallsMax: 1 };
// A change that waits for a lock must not delay the others any longer.
const nextAfterMs = 250;
// Groups of one application write to the same resources, so concurrent ones would make each other fail.
const nextTransactionAfterMs = 4_000;

/** `caller` carries its trace. */
interface Call {
  change: PendingChange;
  caller: Context;
}

/**
 * Returns the committer of changes. Plain reports share an insert, and changes of one application share a transaction.
 * If a group fails, its changes are committed individually.
 */
export function createChangeCommitter(ports: EventPorts): ChangeCommitter {
  const plain = createGroups(ports, { queueOf: () => '', nextGroupAfterMs: nextAfterMs });
  const others = createGroups(ports, {
    queueOf: ({ appUid }) => appUid,
    nextGroupAfterMs: nextTransactionAfterMs,
  });
  return (change) => (isPlain(change) ? plain(change) : others(change));
}

interface Groups {
  /** The changes of a queue form groups, which are committed one at a time. */
  queueOf: (change: PendingChange) => string;
  nextGroupAfterMs: number;
}

function createGroups(ports: EventPorts, { queueOf, nextGroupAfterMs }: Groups): ChangeCommitter {
  const commitCalls = async (calls: readonly Call[]) => {
    const together = commitTogether(ports, calls);
    let turn = ended(together);
    const commits = calls.map(({ change, caller }) => {
      const commit = turn.then(
        async () =>
          (await together).get(change) ?? otel.with(caller, () => commitAlone(ports, change)),
      );
      turn = turn.then(() => ended(commit, nextAfterMs));
      return commit;
    });
    await ended(turn, nextGroupAfterMs);
    return commits.map((commit) => ({ commit }));
  };
  const begin = coalesce(groups, commitCalls, ({ change }) => queueOf(change));
  return async (change) => (await begin({ change, caller: otel.active() })).commit;
}

/** Resolves when the work has ended, even if it failed, or after the timeout. */
async function ended(work: Promise<unknown>, timeoutMs?: number): Promise<void> {
  await (timeoutMs === undefined ? work : withTimeout(work, timeoutMs)).catch(() => undefined);
}

const isLate = ({ beginBeforeMs }: PendingChange): boolean => beginBeforeMs <= performance.now();

/** Commits one change, in its own transaction if it needs one. */
export async function commitAlone(ports: EventPorts, change: PendingChange): Promise<Committed> {
  if (isLate(change)) {
    const detail = 'the change waited too long; try again in a few seconds';
    throw new AppError('unavailable', detail, { retryAfterSeconds: 2 });
  }
  const [committed] = isPlain(change)
    ? await insertEvents(ports, [change])
    : await inTransaction(
        ports.store,
        (session) => commitIn(ports, [change], session),
        change.beginBeforeMs,
      );
  if (committed === undefined) throw new Error('a change was not committed');
  return committed;
}

/** Returns an empty map if nothing was written. Throws if that is unknown. */
async function commitTogether(
  ports: EventPorts,
  calls: readonly Call[],
): Promise<Map<PendingChange, Committed>> {
  const onTime = calls.filter(({ change }) => !isLate(change));
  const [first, ...others] = onTime;
  if (first === undefined || others.length === 0) return new Map();
  const changes = onTime.map(({ change }) => change);
  const callers = onTime.map(({ caller }) => caller);
  try {
    const committed = await inSharedSpan('commit changes together', callers, () =>
      isPlain(first.change) ? insertEvents(ports, changes) : commitGroup(ports, changes),
    );
    return new Map(changes.map((change, index) => [change, committed[index] as Committed]));
  } catch (error) {
    const isUndone = isPlain(first.change)
      ? error instanceof AppError
      : !isDatabaseUnavailable(error);
    if (isUndone) return new Map();
    throw error;
  }
}

function insertEvents(ports: EventPorts, changes: readonly PendingChange[]): Promise<Committed[]> {
  return recordEvents(ports, changes.map(writtenElsewhere), { now: ports.clock.now() });
}

/** Keeps the driver from retrying the transaction. */
class GroupFailed extends Error {}

async function commitGroup(
  ports: EventPorts,
  changes: readonly PendingChange[],
): Promise<Committed[]> {
  const work = async (session: ClientSession): Promise<Committed[]> => {
    if (changes.some(isLate)) throw new GroupFailed('a change has waited for too long');
    try {
      return await commitIn(ports, changes, session);
    } catch (error) {
      // The shorter a transaction, the fewer conflicts.
      throw isWriteConflict(error) ? new GroupFailed('another transaction writes, too') : error;
    }
  };
  return inTransaction(ports.store, work, Infinity);
}

/** Writes changes and their events. Throws the reason for the first rejected change. */
async function commitIn(
  ports: EventPorts,
  changes: readonly PendingChange[],
  session: ClientSession,
): Promise<Committed[]> {
  // The time of the commit, not of the call: to the relay, an event that had waited would look abandoned.
  const making = { now: ports.clock.now(), session };
  const calls = changes.flatMap(({ once }) => once ?? []);
  const used = await usedKeys(ports.store, calls, session);
  // All synchronously, so that the IDs sort in the order of the changes.
  const eventIds = changes.map(() => newId('evt', making.now));
  const written: Written[] = [];
  for (const [index, change] of changes.entries()) {
    const key = change.once?.key.id;
    if (key !== undefined && used.has(key)) throw new RepeatedKey();
    if (key !== undefined) used.add(key);
    written.push(await writeChange(change, making, eventIds[index] ?? ''));
  }
  return recordEvents(ports, written, making);
}
