// The search attributes of a namespace: setup registers them, and setup and /readyz report wrong ones.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { ensureSearchAttributes } from '../../../lib/temporal/registered-attributes.ts';
import { appUidsAttribute, eventIdsAttribute } from '../../../lib/temporal/search-attributes.ts';
import { ensureNamespace } from '../../../dev/servers/temporal-namespace.ts';
import { prepareServers } from '../../../cli/setup/prepare-servers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

async function readyz(): Promise<[status: number, attributes: string]> {
  const response = await fetch(`${service.apiUrl}/readyz`);
  const { parts } = (await response.json()) as { parts: Record<string, string> };
  return [response.status, parts['searchAttributes'] ?? ''];
}

/** Sets the type of the search attribute AppUids in the service's namespace; null removes it. */
async function replaceAppUids(type: number | null): Promise<void> {
  const { connection, namespace } = service.temporal;
  const { operatorService } = connection;
  await operatorService.removeSearchAttributes({ namespace, searchAttributes: ['AppUids'] });
  if (type === null) return;
  const searchAttributes = Object.fromEntries([['AppUids', type]]);
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

test('a missing search attribute is reported with its remedy, and setup registers it', async () => {
  await replaceAppUids(null);
  expect(await readyz()).toEqual([503, 'missing AppUids; run: npm run setup']);
  await prepareServers(service.config);
  expect(await readyz()).toEqual([200, 'ok']);
});

test('setup explains what to do about a missing namespace', async () => {
  const { address } = service.config.temporal;
  const temporal = { ...service.config.temporal, namespace: 'nowhere' };
  await expect(prepareServers({ ...service.config, temporal })).rejects.toThrow(
    `Temporal at ${address} has no namespace "nowhere"; set TEMPORAL_NAMESPACE, or make it: ` +
      `temporal operator namespace create --address ${address} --namespace nowhere --retention 7d`,
  );
});

test.each([
  [2, 'Keyword'],
  [3, 'Int'],
  [5, 'Bool'],
])(
  'a search attribute of the wrong type %i (%s) is reported by setup and /readyz',
  async (number, type) => {
    await replaceAppUids(number);
    const sentence = `AppUids is of type ${type}, not Text; set TEMPORAL_NAMESPACE to a namespace of the service's own`;
    expect(await readyz()).toEqual([503, sentence]);
    await expect(prepareServers(service.config)).rejects.toThrow(
      `the search attributes of namespace ${service.temporal.namespace}: ${sentence}`,
    );
    await replaceAppUids(1);
    expect(await readyz()).toEqual([200, 'ok']);
  },
);

test('search attributes registered by two concurrent processes can be used and queried immediately', async () => {
  const { connection } = service.temporal;
  const namespace = `test_${randomUUID()}`;
  await ensureNamespace(connection, namespace);
  await Promise.all([
    ensureSearchAttributes(connection, namespace),
    ensureSearchAttributes(connection, namespace),
  ]);
  const client = new Client({ connection, namespace });
  const { workflowId } = await client.workflow.start('nobody-runs-this', {
    workflowId: randomUUID(),
    taskQueue: 'nobody-polls',
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidsAttribute, value: 'app_1' },
      { key: eventIdsAttribute, value: ['evt_1', 'evt_2'] },
    ]),
  });
  const query = `AppUids = 'app_1' AND EventIds = 'evt_2'`;
  const found = await waitFor(async () => {
    for await (const workflow of client.workflow.list({ query })) return workflow.workflowId;
    return undefined;
  });
  expect(found).toBe(workflowId);
});
