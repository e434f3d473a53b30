// The summaries of workflows in the Temporal UI.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../lib/limits.ts';
import { eventWorkflowId, partitionWorkflowId } from '../../../lib/temporal/names.ts';
import { resourceUidAttribute } from '../../../lib/temporal/search-attributes.ts';
import { createPartitionSignaller } from '../../../lib/temporal/signal-partition.ts';
import { startWorkflow } from '../../support/starters.ts';
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

/** Starts the workflow of an event about a resource and that of its partition; returns both. */
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
