import type { ConnectionLike } from '@temporalio/client';
import { withTimeout } from '../concurrency/with-timeout.ts';
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
const probeTimeouts = { waitMs: 2_000, callMs: 5_000 };
// A start checks once, and a timeout would mean another start.
const startTimeouts = { waitMs: 15_000, callMs: 15_000 };

/** Creates a check that never rejects. Anyone may call it often: each part runs once at a time, for all callers. */
export function createReadinessCheck(
  { store, connection, namespace, readFirst, clock }: Servers,
  { waitMs, callMs } = probeTimeouts,
): () => Promise<Readiness> {
  const callTemporal = <T>(check: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + callMs, check);
  const parts = {
    ...createPings({ store, connection, namespace, readFirst }, { waitMs, callMs }),
    indexes: createSharedCheck('the indexes cannot be read', waitMs, async () =>
      describeMissing(await findMissingIndexes(store)),
    ),
    searchAttributes: createSharedCheck('the search attributes cannot be read', waitMs, async () =>
      describeFaults(await callTemporal(() => findAttributeFaults(connection, namespace))),
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
  { waitMs, callMs } = probeTimeouts,
): Record<'mongodb' | 'temporal', () => Promise<string>> {
  return {
    mongodb: createSharedCheck('MongoDB does not respond', waitMs, async () => {
      await readFirst?.();
      return inspectReplicaSet(store);
    }),
    temporal: createSharedCheck('Temporal does not respond', waitMs, async () => {
      await connection.withDeadline(Date.now() + callMs, () =>
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
  const readiness = await createReadinessCheck(servers, startTimeouts)();
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

function createSharedCheck(
  fault: string,
  waitMs: number,
  check: () => Promise<string>,
): () => Promise<string> {
  let running: Promise<string> | null = null;
  return () => {
    running ??= check()
      // The cause may contain addresses and credentials.
      .catch(() => fault)
      .finally(() => (running = null));
    return withTimeout(running, waitMs).catch(() => `${fault} within ${waitMs} ms`);
  };
}
