import { Client, Connection } from '@temporalio/client';
import type { Config } from '../../lib/config/config.ts';
import { ensureSecretChecks } from './ensure-secret-checks.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { ensureIndexes } from '../../lib/mongo/indexes.ts';
import { checkNamespace, unreachable } from '../../lib/temporal/check-namespace.ts';
import { ensureSearchAttributes } from '../../lib/temporal/registered-attributes.ts';
import { ensureRetentionSchedule } from '../../lib/temporal/retention-schedule.ts';

/**
 * Creates indexes, check values of secrets, search attributes and schedules. Idempotent. Throws if a server is
 * unavailable or a secret is not that of the database.
 */
export async function prepareServers(config: Config): Promise<void> {
  // Building an index over many documents takes minutes, during which MongoDB sends nothing.
  const store = await connectStore(config.mongodb, { socketTimeoutMs: 0 });
  try {
    await ensureSecretChecks(store, config);
    await ensureIndexes(store);
  } finally {
    await store[Symbol.asyncDispose]();
  }
  const { address, namespace, connectionOptions } = config.temporal;
  const connection = await Connection.connect({ ...connectionOptions, address }).catch(
    (cause: unknown) => {
      throw unreachable(config.temporal, cause);
    },
  );
  try {
    await checkNamespace(connection, config.temporal);
    await ensureSearchAttributes(connection, namespace);
    await ensureRetentionSchedule(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
