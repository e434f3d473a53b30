// Whether the servers this process stands on are there and set up: asked at start and by /readyz.
import type { ConnectionLike } from '@temporalio/client';
import type { Store } from './mongo/connect.ts';
import { findMissingIndexes } from './mongo/indexes.ts';
import {
  type AttributeFault,
  describeWrongTypes,
  findAttributeFaults,
} from './temporal/registered-attributes.ts';

export interface Servers {
  store: Store;
  connection: ConnectionLike;
  namespace: string;
  /** The read with which each call begins, where there is one: a process in which it hangs is not ready. */
  readFirst?: () => Promise<unknown>;
}

export type ReadinessPart = 'mongodb' | 'indexes' | 'temporal' | 'searchAttributes';

/** For each part `ok`, or one sentence that says what is wrong and what mends it. */
export type Readiness = Record<ReadinessPart, string>;

/** How long a part is waited for, and how long Temporal is asked; its client would wait for ever. */
interface Patience {
  waitMs: number;
  askMs: number;
}

/** A later probe gets the answer of an ask that outlasts its own. */
const probePatience: Patience = { waitMs: 2_000, askMs: 5_000 };
/** A start asks once, and to give up means another start. */
const startPatience: Patience = { waitMs: 15_000, askMs: 15_000 };

/**
 * Gives a function that asks all parts at once, waits for each at most 2 s unless told otherwise, and
 * never rejects. It costs dozens of calls, and strangers may ask without a limit: of each part there
 * is one ask at a time, shared by all who wait meanwhile, also while a server is slow.
 */
export function createInspection(
  { store, connection, namespace, readFirst }: Servers,
  { waitMs, askMs }: Patience = probePatience,
): () => Promise<Readiness> {
  const inspector = (fault: string, ask: () => Promise<string>): (() => Promise<string>) =>
    createInspector(ask, { fault, timeoutMs: waitMs });
  const askTemporal = <T>(ask: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + askMs, ask);
  const parts = {
    mongodb: inspector('MongoDB does not answer', async () => {
      await readFirst?.();
      return inspectReplicaSet(store);
    }),
    indexes: inspector('the indexes cannot be read', async () =>
      describeMissing(await findMissingIndexes(store)),
    ),
    temporal: inspector('Temporal does not answer', async () => {
      await askTemporal(() => connection.workflowService.describeNamespace({ namespace }));
      return 'ok';
    }),
    searchAttributes: inspector('the search attributes cannot be read', async () =>
      describeFaults(await askTemporal(() => findAttributeFaults(connection, namespace))),
    ),
  };
  return async () => {
    const [mongodb, indexes, temporal, searchAttributes] = await Promise.all([
      parts.mongodb(),
      parts.indexes(),
      parts.temporal(),
      parts.searchAttributes(),
    ]);
    return { mongodb, indexes, temporal, searchAttributes };
  };
}

function describeMissing(missing: readonly string[]): string {
  return missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}; run: npm run setup`;
}

function describeFaults(faults: readonly AttributeFault[]): string {
  return describeWrongTypes(faults) ?? describeMissing(faults.map(({ name }) => name));
}

/** Asks all parts at once, each for at most 15 s. Throws an error of one line a fault when one is not ready. */
export async function checkServers(servers: Servers): Promise<void> {
  const readiness = await createInspection(servers, startPatience)();
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

/** Makes the inspector of a part, whose next ask begins only when the one before has ended. */
function createInspector(
  ask: () => Promise<string>,
  { fault, timeoutMs }: { fault: string; timeoutMs: number },
): () => Promise<string> {
  let asked: Promise<string> | null = null;
  return () => {
    asked ??= ask()
      // The cause may hold addresses and credentials; the sentence says enough.
      .catch(() => fault)
      .finally(() => (asked = null));
    return waitFor(asked, { timeoutMs, lateAnswer: `${fault} within ${timeoutMs} ms` });
  };
}

async function waitFor(
  answer: Promise<string>,
  { timeoutMs, lateAnswer }: { timeoutMs: number; lateAnswer: string },
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(lateAnswer), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
