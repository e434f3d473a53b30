// Commits changes with their events, concurrent ones together (ADR 42).
import { type Context, context as otel } from '@opentelemetry/api';
import type { ClientSession } from 'mongodb';
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { withTimeout } from '../../lib/concurrency/with-timeout.ts';
import { isDatabaseUnavailable } from '../../lib/mongo/database-unavailable.ts';
import { RepeatedKey, usedKeys } from '../../lib/mongo/idempotency.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { isWriteConflict } from '../../lib/mongo/write-errors.ts';
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
// Each round after the first one leaves out what made the one before fail.
const groupRoundsMax = 3;

/** `caller` carries its trace. */
interface Call {
  change: PendingChange;
  caller: Context;
  /** Nobody waits for the other changes of a group, only the next group does. */
  settle: (commit: Promise<Committed>) => void;
}

/**
 * Returns the committer of changes. Plain reports of one application share an insert, and its other changes share a
 * transaction. If a group fails, the changes that made it fail are committed individually; if they are unknown, all of
 * them. No change waits for another application's: one that meets a lock holds up its whole group.
 */
export function createChangeCommitter(ports: EventPorts): ChangeCommitter {
  const plain = createGroups(ports, nextAfterMs);
  const others = createGroups(ports, nextTransactionAfterMs);
  return (change) => (isPlain(change) ? plain(change) : others(change));
}

/** The changes of an application form groups, which are committed one at a time. */
function createGroups(ports: EventPorts, nextGroupAfterMs: number): ChangeCommitter {
  const commitCalls = async (calls: readonly Call[]) => {
    const together = commitTogether(ports, calls);
    let turn = ended(together);
    const commitInTurn = ({ change, caller }: Call): Promise<Committed> => {
      const commit = turn.then(() => otel.with(caller, () => commitAlone(ports, change)));
      turn = turn.then(() => ended(commit, nextAfterMs));
      return commit;
    };
    for (const call of calls) {
      call.settle(together.then((done) => done.get(call.change) ?? commitInTurn(call)));
    }
    // Not before the turns of all calls are known.
    await ended(together);
    await ended(turn, nextGroupAfterMs);
    return calls;
  };
  const begin = coalesce(groups, commitCalls, ({ change }) => change.appUid);
  return (change) =>
    new Promise((settle, reject) => {
      begin({ change, caller: otel.active(), settle }).catch(reject);
    });
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

/**
 * Returns the committed changes. The others are to be committed individually: all of them, or those that would have
 * made the group fail. Throws if it is unknown what was written.
 */
async function commitTogether(
  ports: EventPorts,
  calls: readonly Call[],
): Promise<Map<PendingChange, Committed>> {
  let rest = calls;
  for (let round = 0; round < groupRoundsMax; round += 1) {
    rest = rest.filter(({ change }) => !isLate(change));
    const [first, ...others] = rest;
    if (first === undefined || others.length === 0) return new Map();
    try {
      return await commitGroup(ports, rest);
    } catch (error) {
      if (error instanceof GroupFailed) {
        const { culprits } = error;
        rest = rest.filter(({ change }) => !culprits.has(change));
        continue;
      }
      const isUndone = isPlain(first.change)
        ? error instanceof AppError
        : !isDatabaseUnavailable(error);
      if (isUndone) return new Map();
      throw error;
    }
  }
  return new Map();
}

async function commitGroup(
  ports: EventPorts,
  calls: readonly Call[],
): Promise<Map<PendingChange, Committed>> {
  const changes = calls.map(({ change }) => change);
  const callers = calls.map(({ caller }) => caller);
  const commit = changes.every(isPlain) ? insertEvents : commitGroupOnce;
  const committed = await inSharedSpan('commit changes together', callers, () =>
    commit(ports, changes),
  );
  return new Map(changes.map((change, index) => [change, committed[index] as Committed]));
}

function insertEvents(ports: EventPorts, changes: readonly PendingChange[]): Promise<Committed[]> {
  return recordEvents(ports, changes.map(writtenElsewhere), { now: ports.clock.now() });
}

/** Keeps the driver from retrying the transaction. Without the culprits, the others may be committed together. */
class GroupFailed extends Error {
  readonly culprits: ReadonlySet<PendingChange>;

  constructor(culprits: ReadonlySet<PendingChange>) {
    super('changes cannot be committed together');
    this.culprits = culprits;
  }
}

function commitGroupOnce(
  ports: EventPorts,
  changes: readonly PendingChange[],
): Promise<Committed[]> {
  const work = async (session: ClientSession): Promise<Committed[]> => {
    const late = new Set(changes.filter(isLate));
    if (late.size > 0) throw new GroupFailed(late);
    try {
      return await commitIn(ports, changes, session);
    } catch (error) {
      // The shorter a transaction, the fewer conflicts.
      throw isWriteConflict(error) ? new GroupFailed(new Set(changes)) : error;
    }
  };
  return inTransaction(ports.store, work, Infinity);
}

/** Writes changes and their events. Throws the reason if there is one change, otherwise which ones are rejected. */
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
  const culprits = new Set<PendingChange>();
  for (const [index, change] of changes.entries()) {
    try {
      if (change.once !== null && used.has(change.once.key.id)) throw new RepeatedKey();
      written.push(await writeChange(change, making, eventIds[index] ?? ''));
    } catch (error) {
      if (changes.length === 1) throw error;
      if (isDatabaseUnavailable(error) && !isWriteConflict(error)) throw error;
      culprits.add(change);
      // MongoDB has aborted the transaction. Otherwise there may be more culprits.
      if (!isRejection(error)) break;
    }
  }
  if (culprits.size > 0) throw new GroupFailed(culprits);
  return recordEvents(ports, written, making);
}

function isRejection(error: unknown): boolean {
  return error instanceof AppError || error instanceof RepeatedKey;
}
