// Commits changes with their events, together those that come together (ADR 21).
import { type Context, context as otel } from '@opentelemetry/api';
import { type ClientSession, MongoError } from 'mongodb';
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { inTime } from '../../lib/concurrency/in-time.ts';
import { isDatabaseAway } from '../../lib/mongo/database-away.ts';
import { RepeatedKey, usedKeys } from '../../lib/mongo/idempotency.ts';
import { inTransaction, isWriteConflict } from '../../lib/mongo/transaction.ts';
import { newId } from '../../lib/platform/ids.ts';
import { inSharedSpan } from '../../lib/telemetry/spans.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { EventPorts } from './make-events.ts';
import {
  type Committed,
  isPlain,
  type Making,
  type PendingChange,
  recordEvents,
  writeChange,
  type Written,
  writtenElsewhere,
} from './write-changes.ts';

/** Resolves once a majority of the servers has the change and its events in its journal. */
export type ChangeCommitter = (change: PendingChange) => Promise<Committed>;

const groups = { itemsPerCallMax: 50, callsAtOnceMax: 1, rest: { times: 2, msMax: 200 } };
// The next one waits no longer for one that meets a lock.
const nextAloneAfterMs = 250;

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

/** Returns what became of those that went together; the others of the group, of which nothing is written, go alone. */
type CommitGroup = (ports: EventPorts, changes: readonly PendingChange[]) => Promise<Outcomes>;

type Outcomes = Map<PendingChange, PromiseSettledResult<Committed>>;

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
        : Promise.resolve<Outcomes>(new Map());
    let turn = Promise.resolve();
    const commits = calls.map(async ({ change, caller }) => {
      const outcome = (await together).get(change);
      if (outcome?.status === 'fulfilled') return outcome.value;
      if (outcome?.status === 'rejected') throw outcome.reason;
      const commit = turn.then(() => otel.with(caller, () => commitAlone(ports, change)));
      if (conflict) turn = ended(commit, nextAloneAfterMs);
      return commit;
    });
    // Their callers get the errors, later.
    void Promise.allSettled(commits);
    await ended(
      Promise.allSettled([together]).then(() => turn),
      nextGroupAfterMs,
    );
    return commits.map((commit) => ({ commit }));
  };
  const begin = coalesce(groups, commitCalls, ({ change }) => queueOf(change));
  return async (change) => (await begin({ change, caller: otel.active() })).commit;
}

/** `caller` has its trace. */
interface Call {
  change: PendingChange;
  caller: Context;
}

/** Resolves when the work has ended, well or not, or after that time. */
async function ended(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  await inTime(work, timeoutMs).catch(() => undefined);
}

const isLate = ({ beginBeforeMs }: PendingChange): boolean => beginBeforeMs <= performance.now();

/** Commits a change, in a transaction of its own if it needs one. */
export async function commitAlone(ports: EventPorts, change: PendingChange): Promise<Committed> {
  if (isLate(change)) {
    const detail = 'the change waited for too long; try again in a few seconds';
    throw new AppError('unavailable', detail, { retryAfterSeconds: 2 });
  }
  const [committed] = isPlain(change)
    ? await recordEvents(ports, [writtenElsewhere(change)], { now: ports.clock.now() })
    : await inTransaction(
        ports.store,
        async (session) => {
          const calls = change.once === null ? [] : [change.once];
          if ((await usedKeys(ports.store, calls, session)).size > 0) throw new RepeatedKey();
          const making = { now: ports.clock.now(), session };
          return recordEvents(
            ports,
            [await writeChange(change, making, newId('evt', making.now))],
            making,
          );
        },
        change.beginBeforeMs,
      );
  if (committed === undefined) throw new Error('a change was not committed');
  return committed;
}

// All go alone where one of them is refused.
const insertTogether: CommitGroup = async (ports, changes) => {
  const onTime = changes.filter((change) => !isLate(change));
  try {
    const now = ports.clock.now();
    const recorded = await recordEvents(ports, onTime.map(writtenElsewhere), { now });
    return committedTogether(onTime, recorded);
  } catch (error) {
    return error instanceof AppError ? new Map() : failedTogether(onTime, error);
  }
};

// Those that are refused or late are left out, and the others run again. A group that conflicts with a write of another
// process is split: the shorter a transaction, the fewer conflicts.
const commitTogether: CommitGroup = async (ports, changes) => {
  if (changes.length < 2) return new Map();
  try {
    const committed = await inTransaction(
      ports.store,
      (session) => commitIn(ports, changes, session),
      // Each run leaves out those whose time is over.
      Infinity,
    );
    return committedTogether(changes, committed);
  } catch (error) {
    if (error instanceof LeftOut) {
      const { changes: leftOut } = error;
      return commitTogether(
        ports,
        changes.filter((change) => !leftOut.includes(change)),
      );
    }
    if (!(error instanceof Conflict)) return failedTogether(changes, error);
    const middle = Math.ceil(changes.length / 2);
    const first = await commitTogether(ports, changes.slice(0, middle));
    return new Map([...first, ...(await commitTogether(ports, changes.slice(middle)))]);
  }
};

/** Some of a group cannot go together with the others. */
class LeftOut extends Error {
  readonly changes: readonly PendingChange[];

  constructor(changes: readonly PendingChange[]) {
    super('some changes have to go alone');
    this.changes = changes;
  }
}

/** The driver does not begin the transaction again. */
class Conflict extends Error {}

async function commitIn(
  ports: EventPorts,
  changes: readonly PendingChange[],
  session: ClientSession,
): Promise<Committed[]> {
  const late = changes.filter(isLate);
  if (late.length > 0) throw new LeftOut(late);
  // Not when its caller asked: the relay would take an event that had waited as one that nobody starts.
  const making = { now: ports.clock.now(), session };
  const written = await writeTogether(ports, changes, making);
  try {
    return await recordEvents(ports, written, making);
  } catch (error) {
    throw faultOfGroup(error) ?? new LeftOut(changes);
  }
}

/** Throws `LeftOut` with all that are refused. */
async function writeTogether(
  { store }: EventPorts,
  changes: readonly PendingChange[],
  making: Making,
): Promise<Written[]> {
  const calls = changes.flatMap(({ once }) => once ?? []);
  const used = await usedKeys(store, calls, making.session);
  const written: Written[] = [];
  const refused: PendingChange[] = [];
  // All at once: only then do they sort in the order of the changes.
  const eventIds = changes.map(() => newId('evt', making.now));
  for (const [index, change] of changes.entries()) {
    const key = change.once?.key.id;
    try {
      if (key !== undefined && used.has(key)) throw new RepeatedKey();
      written.push(await writeChange(change, making, eventIds[index] ?? ''));
      if (key !== undefined) used.add(key);
    } catch (error) {
      const fault = faultOfGroup(error);
      if (fault !== null) throw fault;
      refused.push(change);
      // It has ended the transaction.
      if (error instanceof MongoError) break;
    }
  }
  if (refused.length > 0) throw new LeftOut(refused);
  return written;
}

/** Null where the change alone is refused. */
function faultOfGroup(error: unknown): unknown {
  if (isWriteConflict(error)) return new Conflict();
  return isDatabaseAway(error) ? error : null;
}

function committedTogether(
  changes: readonly PendingChange[],
  committed: readonly Committed[],
): Outcomes {
  const outcomes: Outcomes = new Map();
  for (const [index, change] of changes.entries()) {
    const value = committed[index];
    if (value !== undefined) outcomes.set(change, { status: 'fulfilled', value });
  }
  return outcomes;
}

// Never again one by one: of a commit that got no answer nobody knows whether it took effect.
function failedTogether(changes: readonly PendingChange[], reason: unknown): Outcomes {
  return new Map(changes.map((change) => [change, { status: 'rejected', reason }]));
}
