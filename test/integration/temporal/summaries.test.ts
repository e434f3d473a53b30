// The summaries and links of workflows in the Temporal UI. And the search attributes of a namespace: setup registers
// them, and setup and /readyz report wrong ones.
import { limits } from '../../../lib/limits.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  eventWorkflowId,
  jobWorkflowId,
  partitionWorkflowId,
} from '../../../lib/temporal/names.ts';
import {
  resourceUidAttribute,
  appUidsAttribute,
  eventIdsAttribute,
} from '../../../lib/temporal/search-attributes.ts';
import { createPartitionSignaller } from '../../../lib/temporal/signal-partition.ts';
import { newStarts, startWorkflow } from '../../support/starters.ts';
import { newEvent } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { ensureSearchAttributes } from '../../../lib/temporal/registered-attributes.ts';
import { ensureNamespace } from '../../../dev/servers/temporal-namespace.ts';
import { prepareServers } from '../../../cli/setup/prepare-servers.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
const webhookUid = 'whk_01m80nyvgfnywx520qxtcd6bn7';

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service?.[Symbol.asyncDispose]());

/** Starts the workflow of an event about a resource and that of its partition, and returns both. */
async function startBoth(resourceUid: string) {
  const { temporal, store, app } = service;
  const event = { ...newEvent(service, [webhookUid], new Date()), resourceUid };
  await store.events.insertOne(event);
  await startWorkflow(service, [event]);
  const partition = { appUid: app.appUid, webhookUid, entity: 'contextfile', resourceUid } as const;
  await createPartitionSignaller(temporal.client)(partition);
  const ids = [eventWorkflowId(event), partitionWorkflowId(partition)];
  return Promise.all(ids.map((id) => temporal.client.workflow.getHandle(id).describe()));
}

const { nameCharactersMax } = limits;

test.each([
  ['of 64 characters', 'u'.repeat(64), 'u'.repeat(64)],
  ['of 65 characters', 'u'.repeat(65), `${'u'.repeat(63)}…`],
  [
    'of the longest characters',
    '\u{1f600}'.repeat(nameCharactersMax),
    `${'\u{1f600}'.repeat(63)}…`,
  ],
])(
  'a uid %s fits into summaries of 400 bytes, and is complete in the search attribute',
  async (...row) => {
    const [, resourceUid, shown] = row;
    const [event, partition] = await startBoth(resourceUid);
    const summaries = [await event?.staticSummary(), await partition?.staticSummary()];
    expect(summaries).toEqual([
      `agent.updated ${shown} → 1 webhook`,
      `contextfile ${shown} in order → ${webhookUid}`,
    ]);
    for (const summary of summaries) {
      expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(400);
    }
    for (const workflow of [event, partition]) {
      expect(workflow?.typedSearchAttributes.get(resourceUidAttribute)).toBe(resourceUid);
    }
  },
);

test('each workflow links to its page of the console', async () => {
  const { app, temporal } = service;
  const { publicUrl } = service.config.http;
  const details = (workflowId: string): Promise<string | undefined> =>
    temporal.client.workflow
      .getHandle(workflowId)
      .describe()
      .then((workflow) => workflow.staticDetails());
  const link = (title: string, path: string): string =>
    `[${title} in the console](${publicUrl}/console/apps/${app.appUid}${path})`;

  const [event, partition] = await startBoth('orders');
  expect(await event?.staticDetails()).toBe(
    link('Event', `/events/${event?.workflowId.replace('agent.updated/', '')}`),
  );
  expect(await partition?.staticDetails()).toBe(link('Webhook', `/webhooks/${webhookUid}`));

  const starts = newStarts(service);
  for (const [kind, expected] of [
    ['replay', (uid: string) => link('Replay', `/replays/${uid}`)],
    ['release', () => link('Application', '')],
  ] as const) {
    const jobUid = newId('job');
    await starts.startJob({ _id: jobUid, appUid: app.appUid, kind, webhookUids: [] });
    expect(await details(jobWorkflowId(jobUid))).toBe(expected(jobUid));
  }
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
