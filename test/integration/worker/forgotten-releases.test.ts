// The retention starts a release for an active webhook that has held deliveries and no release.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteExpired } from '../../../lib/jobs/retention.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

const open = new Disposal();
const url = 'https://receiver.example.com/';
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  // The many held deliveries of a paused webhook must not hide it.
  await hold((await insertWebhook(installation, { url, active: false }))._id, 1_001, 60);
});

afterAll(() => open[Symbol.asyncDispose]());

async function hold(webhookUid: string, count: number, forMinutes: number): Promise<void> {
  const at = new Date(Date.now() - forMinutes * minuteMs);
  const held = () => newDelivery(installation, at, { webhookUid, state: 'held' });
  await installation.store.deliveries.insertMany(Array.from({ length: count }, held));
}

test.each([
  { active: true, before: 'done', heldMinutes: 10.1, isStarted: true },
  { active: true, before: 'done', heldMinutes: 9.9, isStarted: false },
  { active: true, before: 'running', heldMinutes: 10.1, isStarted: false },
  { active: false, before: 'done', heldMinutes: 10.1, isStarted: false },
] as const)('a missing release is started once: %j', async (facts) => {
  const { active, before, heldMinutes, isStarted } = facts;
  const { store, app, config } = installation;
  const webhookUid = newId('whk');
  const last = newRelease({ appUid: app.appUid, webhookUid }, new Date());
  await insertWebhook(installation, { _id: webhookUid, url, active, releaseUid: last._id });
  await store.jobs.insertOne({ ...last, state: before });
  await hold(webhookUid, 1, heldMinutes);
  const ports = { store, retention: config.retention };
  for (let hours = 0; hours < 2; hours += 1) await deleteExpired(ports, { now: new Date() });
  const stored = await store.webhooks.findOne({ _id: webhookUid });
  const anew = { _id: stored?.releaseUid, kind: 'release', state: 'running', startedAt: null };
  const others = await store.jobs.find({ webhookUid, _id: { $ne: last._id } }).toArray();
  expect(others).toMatchObject(isStarted ? [anew] : []);
  expect(stored?.releaseUid === last._id).toBe(!isStarted);
});

test('of very many webhooks a page examines some, and the next page continues after them', async () => {
  const { store, app, config } = installation;
  const one = (await store.webhooks.findOne({ active: true })) ?? expect.fail('there is none');
  const others = Array.from({ length: 1_001 }, () => ({ ...one, _id: newId('whk') }));
  const last = { ...one, _id: `whk_${'z'.repeat(26)}`, releaseUid: null };
  await store.webhooks.insertMany([...others, last]);
  await hold(last._id, 1, 11);
  const ports = { store, retention: config.retention };
  const first = await deleteExpired(ports, { now: new Date() });
  expect(first.isLast).toBe(false);
  const release = { appUid: app.appUid, webhookUid: last._id };
  expect(await store.jobs.findOne(release)).toBeNull();
  const second = await deleteExpired(ports, { now: new Date(), cursor: first.cursor });
  expect(second.isLast).toBe(true);
  expect(await store.jobs.findOne(release)).toMatchObject({ kind: 'release', state: 'running' });
});
