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

/** Resolves once a majority of the servers has the change and its events in its journal. */
export type ChangeCommitter = (change: PendingChange) => Promise<Committed>;

const groups = { itemsPerCallMax: 50, concurrentCallsMax: 1 };
// A change that meets a lock holds up others no longer.
const nextAfterMs = 250;
// Groups of one application write to the same resources: two concurrent ones would fail each other.
const nextTransactionAfterMs = 4_000;

/** `caller` has its trace. */
interface Call {
  change: PendingChange;
  caller: Context;
}

/**
 * Returns what commits changes: plain reports share an insert, and changes of one application a transaction. The changes
 * of a group that fails commit one by one.
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
  /** The changes of a queue form groups, one at a time. */
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

/** Resolves when the work has ended, well or not, or after that time. */
async function ended(work: Promise<unknown>, timeoutMs?: number): Promise<void> {
  await (timeoutMs === undefined ? work : withTimeout(work, timeoutMs)).catch(() => undefined);
}

const isLate = ({ beginBeforeMs }: PendingChange): boolean => beginBeforeMs <= performance.now();

/** Commits a change, in a transaction of its own if it needs one. */
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

/** Returns an empty map where nothing was written. Throws where nobody knows whether it was. */
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

/** The driver does not begin the transaction again. */
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

/** Writes changes and their events. Throws the reason of the first change that is refused. */
async function commitIn(
  ports: EventPorts,
  changes: readonly PendingChange[],
  session: ClientSession,
): Promise<Committed[]> {
  // Not when its caller asked: the relay would take an event that had waited as one that nobody starts.
  const making = { now: ports.clock.now(), session };
  const calls = changes.flatMap(({ once }) => once ?? []);
  const used = await usedKeys(ports.store, calls, session);
  // All immediately: only then do they sort in the order of the changes.
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
