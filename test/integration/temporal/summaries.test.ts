// The summaries and links of workflows in the Temporal UI.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../lib/limits.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  eventWorkflowId,
  jobWorkflowId,
  partitionWorkflowId,
} from '../../../lib/temporal/names.ts';
import { resourceUidAttribute } from '../../../lib/temporal/search-attributes.ts';
import { createPartitionSignaller } from '../../../lib/temporal/signal-partition.ts';
import { newStarts, startWorkflow } from '../../support/starters.ts';
import { newEvent } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
const webhookUid = 'whk_01m80nyvgfnywx520qxtcd6bn7';

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Starts the workflow of an event about a resource and that of its partition, and returns both. */
async function startBoth(resourceUid: string) {
  const { temporal, store, app } = service;
  const event = { ...newEvent(service, [webhookUid], new Date()), resourceUid };
  await store.events.insertOne(event);
  await startWorkflow(service, [event]);
  const partition = { appUid: app.appUid, webhookUid, entity: 'contextfile', resourceUid } as const;
  await createPartitionSignaller(temporal.client)(partition);
  const ids = [eventWorkflowId(event._id), partitionWorkflowId(partition)];
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
  ['of quotes', '"'.repeat(nameCharactersMax), `${'"'.repeat(63)}…`],
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
  const { app, store, temporal } = service;
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
    link('Event', `/events/${event?.workflowId.replace('event/', '')}`),
  );
  expect(await partition?.staticDetails()).toBe(link('Webhook', `/webhooks/${webhookUid}`));

  const shared = [1, 2].map(() => newEvent(service, [webhookUid], new Date()));
  await store.events.insertMany(shared);
  await startWorkflow(service, shared);
  const started = await store.events.findOne({ _id: shared[0]?._id ?? '' });
  expect(await details(started?.workflowId ?? '')).toBe(
    link('Deliveries of the application', '/deliveries'),
  );

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
