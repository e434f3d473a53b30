import type { ConnectionLike } from '@temporalio/client';
import { inTime } from '../concurrency/in-time.ts';
import type { Store } from '../mongo/connect.ts';
import { findMissingIndexes } from '../mongo/indexes.ts';
import { describeClock } from '../mongo/server-clock.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type AttributeFault,
  describeWrongTypes,
  findAttributeFaults,
} from '../temporal/registered-attributes.ts';

export interface Servers {
  store: Store;
  connection: ConnectionLike;
  namespace: string;
  /** The read at the start of each request: a process in which it hangs is not ready. */
  readFirst?: (() => Promise<unknown>) | undefined;
  clock?: Clock | undefined;
}

/** Each state is `ok`, or a sentence with the fault and its fix. */
export type Readiness = Record<
  'mongodb' | 'indexes' | 'temporal' | 'searchAttributes' | 'clock',
  string
>;

// `callMs` bounds a call to Temporal, whose client would wait without end.
const probeTimeouts = { waitMs: 2_000, askMs: 5_000 };
// A start checks once, and a timeout would mean another start.
const startTimeouts = { waitMs: 15_000, askMs: 15_000 };

/** Creates a check that never rejects. Anyone may call it often: each part runs once at a time, for all callers. */
export function createInspection(
  { store, connection, namespace, readFirst, clock }: Servers,
  { waitMs, askMs } = probeTimeouts,
): () => Promise<Readiness> {
  const askTemporal = <T>(ask: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + askMs, ask);
  const parts = {
    ...createPings({ store, connection, namespace, readFirst }, { waitMs, askMs }),
    indexes: createInspector('the indexes cannot be read', waitMs, async () =>
      describeMissing(await findMissingIndexes(store)),
    ),
    searchAttributes: createInspector('the search attributes cannot be read', waitMs, async () =>
      describeFaults(await askTemporal(() => findAttributeFaults(connection, namespace))),
    ),
    clock: async () => describeClock(clock?.aheadMs?.() ?? 0),
  };
  return async () => {
    const states = Object.entries(parts).map(async ([part, inspect]) => [part, await inspect()]);
    return Object.fromEntries(await Promise.all(states)) as Readiness;
  };
}

/** Creates checks of whether the servers respond at all, shared in the same way. */
export function createPings(
  { store, connection, namespace, readFirst }: Servers,
  { waitMs, askMs } = probeTimeouts,
): Record<'mongodb' | 'temporal', () => Promise<string>> {
  return {
    mongodb: createInspector('MongoDB does not respond', waitMs, async () => {
      await readFirst?.();
      return inspectReplicaSet(store);
    }),
    temporal: createInspector('Temporal does not respond', waitMs, async () => {
      await connection.withDeadline(Date.now() + askMs, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      return 'ok';
    }),
  };
}

function describeMissing(missing: readonly string[]): string {
  return missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}; run: npm run setup`;
}

function describeFaults(faults: readonly AttributeFault[]): string {
  return describeWrongTypes(faults) ?? describeMissing(faults.map(({ name }) => name));
}

/** Throws an Error with one line per fault. */
export async function checkServers(servers: Servers): Promise<void> {
  const readiness = await createInspection(servers, startTimeouts)();
  const faults = Object.entries(readiness).filter(([, state]) => state !== 'ok');
  if (faults.length === 0) return;
  throw new Error(
    `The servers are not ready:\n${faults.map(([part, fault]) => `  - ${part}: ${fault}`).join('\n')}`,
  );
}

async function inspectReplicaSet(store: Store): Promise<string> {
  const hello = await store.db.command({ hello: 1 });
  return hello['setName'] === undefined && hello['msg'] !== 'isdbgrid'
    ? 'this is a standalone mongod, which has no transactions; start it with --replSet'
    : 'ok';
}

function createInspector(
  fault: string,
  waitMs: number,
  ask: () => Promise<string>,
): () => Promise<string> {
  let asked: Promise<string> | null = null;
  return () => {
    asked ??= ask()
      // The cause may contain addresses and credentials.
      .catch(() => fault)
      .finally(() => (asked = null));
    return inTime(asked, waitMs).catch(() => `${fault} within ${waitMs} ms`);
  };
}
