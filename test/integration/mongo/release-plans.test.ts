// The cost of a page of a release does not depend on how many deliveries its webhook has or holds.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeReleasePage } from '../../../lib/jobs/release-page.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { ReleaseJob } from '../../../lib/model/job.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { profile } from '../../support/query-plans.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

const longBefore = new Date('2025-12-31T00:00:00Z');
const before = new Date('2026-01-01T00:00:00Z');
const sentBefore = new Date('2026-01-01T06:00:00Z');
const sentAgainAt = new Date('2026-01-01T12:00:00Z');
const resumedAt = new Date('2026-01-02T00:00:00Z');
const after = new Date('2026-01-03T00:00:00Z');
const dropped = 60;

/**
 * Writes a webhook with more than a page of deliveries held before its resume (some sent again since), held after it,
 * and settled.
 */
async function writeHeld(
  fields: Partial<WebhookDocument>,
  requeuedAt: Date | null,
): Promise<ReleaseJob> {
  const { appUid } = installation.app;
  const release = newRelease({ appUid, webhookUid: newId('whk') }, resumedAt);
  const { webhookUid, _id: releaseUid } = release;
  const url = 'http://127.0.0.1:9/';
  await insertWebhook(installation, { _id: webhookUid, url, releaseUid, ...fields });
  const write = (at: Date, state: 'held' | 'delivered', statusClass: '2xx' | '5xx' | null) =>
    Array.from({ length: dropped / 2 }, () =>
      newDelivery(installation, at, {
        webhookUid,
        state,
        statusClass,
        requeuedAt: at === before ? requeuedAt : null,
      }),
    );
  const held = [before, after].flatMap((at) => [
    ...write(at, 'held', null),
    ...write(at, 'held', '5xx'),
  ]);
  const sent = [before, after].flatMap((at) => write(at, 'delivered', '2xx'));
  await installation.store.deliveries.insertMany([...sent, ...held]);
  return release;
}

test.each([
  ['the held deliveries', {}, null, 20],
  [
    'the deliveries that a resume dropped',
    { discardCount: 1, discardBefore: resumedAt },
    null,
    dropped,
  ],
  ['the deliveries held since a discard', { discardCount: 1, discardBefore: longBefore }, null, 20],
  [
    'as many of those sent again since a discard',
    { discardCount: 1, discardBefore: sentBefore },
    sentAgainAt,
    20,
  ],
] as const)('a page of a release reads only %s', async (...row) => {
  const [, fields, requeuedAt, count] = row;
  const { store } = installation;
  const release = await writeHeld(fields, requeuedAt);
  const making = { page: 1, now: after };
  const profiles = await profile(store, 'deliveries', () =>
    inTransaction(store, (session) => takeReleasePage({ store }, release, { ...making, session })),
  );
  const examined = profiles.map(({ docsExamined }) => Number(docsExamined));
  expect(Math.max(...examined)).toBeGreaterThanOrEqual(count);
  expect(Math.max(...examined)).toBeLessThanOrEqual(count + 1);
  expect(profiles.filter(({ hasSortStage }) => hasSortStage === true)).toEqual([]);
});
