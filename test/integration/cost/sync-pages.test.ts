// The cost of a sync's page does not depend on how many resources there are: documents read, and its time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import { countSync } from '../../../lib/jobs/sync-page.ts';
import type { AgentDocument } from '../../../lib/model/resource.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { newSyncJob } from '../../support/jobs.ts';
import { profile } from '../../support/query-plans.ts';

const resourcesCount = 20_000;
const perPage = 100;
const requestedAt = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-01T00:01:00Z');
let installation: Installation;
let webhookUid: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { store, app } = installation;
  const { appUid } = app;
  ({ _id: webhookUid } = await insertWebhook(installation, { url: 'https://a.example/' }));
  const times = { createdAt: requestedAt, updatedAt: requestedAt };
  const numbers = Array.from({ length: resourcesCount }, (_, index) => index);
  const agents = numbers.map((n): AgentDocument => {
    const facts = { agentName: `Agent ${n}`, externalTenantId: 'tenant-1', live: true };
    const _id = newId('agt', requestedAt);
    return { _id, appUid, ...facts, description: null, accountUids: null, ...times };
  });
  await store.agents.insertMany(agents);
  await store.sequences.insertMany(
    agents.map(({ _id }) => ({ _id: `${appUid}/agent/${_id}`, last: 1 })),
  );
  const reported = numbers.flatMap((n) =>
    [1, 2].map((sequence) => {
      const event = newEvent(installation, [], new Date(requestedAt.getTime() - 90_000));
      return { ...event, resourceUid: `reported-${n}`, sequence };
    }),
  );
  await store.events.insertMany(reported, { ordered: false });
});

afterAll(() => installation?.[Symbol.asyncDispose]());

/** Takes the first page of a sync from a cursor, and returns the documents that it reads of a collection. */
async function readBy(collection: 'agents' | 'events', cursor: string) {
  const { store, app, config } = installation;
  const facts = { appUid: app.appUid, webhookUid, createdAt: requestedAt };
  const sync = { ...newSyncJob(facts), perSecond: perPage, cursor };
  await store.jobs.insertOne(sync);
  const ports = { store, clock: { now: () => later }, ...noSignals, retention: config.retention };
  let tookMs = 0;
  let sent = 0;
  const profiles = await profile(store, collection, async () => {
    const startedAt = performance.now();
    const page = await takeJobPage(ports, { jobUid: sync._id, page: 1 });
    tookMs = performance.now() - startedAt;
    sent = page.events.length;
  });
  const read = profiles.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
  const plans = profiles.map(({ planSummary }) => String(planSummary));
  return { read, plans, tookMs, sent };
}

test.each([
  ['of stored resources', 'agents', '0/', perPage + 1],
  // The latest two events of each, and each of them once again to send it.
  ['of reported resources', 'events', '3/', 4 * perPage],
] as const)('a page %s reads few documents', async (...row) => {
  const [, collection, cursor, readMax] = row;
  const { read, plans, tookMs, sent } = await readBy(collection, cursor);
  expect(sent).toBe(perPage);
  expect(read).toBeLessThanOrEqual(readMax);
  expect(plans).not.toContain('COLLSCAN');
  process.stdout.write(`a page of ${perPage} ${collection}: ${Math.round(tookMs)} ms\n`);
});

test('a dry run counts 10,000 of them, and says that there are more', async () => {
  const { store, app } = installation;
  const sync = newSyncJob({ appUid: app.appUid, webhookUid, createdAt: requestedAt });
  const startedAt = performance.now();
  const counted = await countSync(store, sync);
  expect(counted).toMatchObject({ count: 10_000, countIsCapped: true });
  process.stdout.write(`a dry run: ${Math.round(performance.now() - startedAt)} ms\n`);
});
