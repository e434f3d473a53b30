// Whether the servers this process stands on are there and set up: asked at start and by /readyz.
import type { ConnectionLike } from '@temporalio/client';
import type { Store } from './store/connect.ts';
import { findMissingIndexes } from './store/indexes.ts';
import { findMissingSearchAttributes } from './temporal/search-attributes.ts';

export interface Servers {
  store: Store;
  connection: ConnectionLike;
  namespace: string;
}

export type ReadinessPart = 'mongodb' | 'indexes' | 'temporal' | 'searchAttributes';

/** For each part `ok`, or one sentence that says what is wrong and what mends it. */
export type Readiness = Record<ReadinessPart, string>;

/** What a probe waits for a part. */
const probeTimeoutMs = 2_000;
/** What a start waits for one: it is asked once, and to give up means another start. */
const startTimeoutMs = 15_000;

/**
 * Gives a function that asks all parts at once, each for at most two seconds, and never rejects. It
 * costs dozens of calls, and strangers may ask without a limit: who asks meanwhile gets the same answer.
 */
export function createInspection(servers: Servers): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | null = null;
  return () => {
    underWay ??= inspectServers(servers, probeTimeoutMs).finally(() => (underWay = null));
    return underWay;
  };
}

async function inspectServers(servers: Servers, timeoutMs: number): Promise<Readiness> {
  const { store, connection, namespace } = servers;
  const [mongodb, indexes, temporal, searchAttributes] = await Promise.all([
    inspect('MongoDB does not answer', timeoutMs, () => inspectReplicaSet(store)),
    inspect('the indexes cannot be read', timeoutMs, async () => {
      const missing = await findMissingIndexes(store);
      return missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}; run: npm run setup`;
    }),
    inspect('Temporal does not answer', timeoutMs, async () => {
      await connection.workflowService.describeNamespace({ namespace });
      return 'ok';
    }),
    inspect('the search attributes cannot be read', timeoutMs, async () => {
      const missing = await findMissingSearchAttributes(connection, namespace);
      return missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}; run: npm run setup`;
    }),
  ]);
  return { mongodb, indexes, temporal, searchAttributes };
}

/** Asks all parts at once, each for at most 15 s. Throws an error of one line a fault when one is not ready. */
export async function checkServers(servers: Servers): Promise<void> {
  const readiness = await inspectServers(servers, startTimeoutMs);
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

async function inspect(
  fault: string,
  timeoutMs: number,
  ask: () => Promise<string>,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${fault} within ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([ask(), timeout]);
  } catch {
    // The cause may hold addresses and credentials; the sentence says enough.
    return fault;
  } finally {
    clearTimeout(timer);
  }
}
