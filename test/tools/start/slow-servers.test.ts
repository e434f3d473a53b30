// Slow servers: a probe reports them, a start waits for them.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConnectionLike } from '@temporalio/client';
import { checkServers, createReadinessCheck } from '../../../lib/health/readiness.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** The same connection, with a delay of 3 s for one call of every check. */
function slowed(connection: ConnectionLike): ConnectionLike {
  const { workflowService } = connection;
  const slow = Object.create(workflowService, {
    describeNamespace: {
      value: async (request: { namespace: string }) => {
        await delay(3_000);
        return workflowService.describeNamespace(request);
      },
    },
  }) as typeof workflowService;
  return Object.create(connection, { workflowService: { value: slow } }) as ConnectionLike;
}

test('a probe waits at most 5 s for Temporal, so that it soon notices when Temporal is back', async () => {
  const { connection, namespace } = service.temporal;
  const askedForMs: number[] = [];
  const withDeadline: ConnectionLike['withDeadline'] = (deadline, ask) => {
    askedForMs.push(Number(deadline) - Date.now());
    return connection.withDeadline(deadline, ask);
  };
  const watched: ConnectionLike = Object.create(connection, {
    withDeadline: { value: withDeadline },
  });
  const servers = { store: service.store, connection: watched, namespace };
  await createReadinessCheck(servers)();
  expect(askedForMs.map((ms) => Math.ceil(ms / 1_000))).toEqual([5, 5]);
  await checkServers(servers);
  expect(askedForMs.slice(2).map((ms) => Math.ceil(ms / 1_000))).toEqual([15, 15]);
});

test('a server that responds after 3 s fails a probe but passes a start', async () => {
  const { connection, namespace } = service.temporal;
  const servers = { store: service.store, connection: slowed(connection), namespace };
  const [{ temporal }] = await Promise.all([
    createReadinessCheck(servers)(),
    checkServers(servers),
  ]);
  expect(temporal).toBe('Temporal does not respond within 2000 ms');
});
