import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { msToNumber, msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import {
  grpcAlreadyExists,
  grpcNotFound,
  tolerateStatus,
} from '../../lib/temporal/tolerate-status.ts';

const retention = '7 days';
const visibleTimeoutMs = 15_000;
const pollIntervalMs = 20;

/**
 * Registers the namespace if it is missing, makes it keep closed workflows for at least 7 days, and waits until
 * workflows can use it. Throws if it is not visible within 15 s.
 */
export async function ensureNamespace(
  connection: ConnectionLike,
  namespace: string,
): Promise<void> {
  const deadline = performance.now() + visibleTimeoutMs;
  await registerIfMissing(connection, namespace);
  while (!(await isVisible(connection, namespace))) {
    if (performance.now() > deadline) throw new Error(`namespace ${namespace} stays invisible`);
    await delay(pollIntervalMs);
  }
}

// The part of the server that runs workflows learns of a namespace later than the others.
async function isVisible(connection: ConnectionLike, namespace: string): Promise<boolean> {
  const listing = connection.operatorService.listSearchAttributes({ namespace });
  return (await tolerateStatus(grpcNotFound, listing)) !== undefined;
}

// Without checking first, because the server caches for a second that it does not know a namespace.
async function registerIfMissing(connection: ConnectionLike, namespace: string): Promise<void> {
  const registering = connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retention),
  });
  const registered = await tolerateStatus(grpcAlreadyExists, registering);
  if (registered === undefined) await lengthenRetention(connection, namespace);
}

// The development server keeps closed workflows of the namespace `default` for only a day.
async function lengthenRetention(connection: ConnectionLike, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const currentMs = optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
  if (currentMs >= msToNumber(retention)) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retention) },
  });
}
