// The page of a resend, without Temporal: which deliveries it passes on.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../lib/platform/clock.ts';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { findWaitingWorkflows } from '../../../lib/jobs/taken-by-job.ts';
import type { SignalTakenByJob } from '../../../lib/temporal/signal-taken-by-job.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { requestResend } from '../../support/jobs.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

test.each([
  ['goes to the webhooks that still exist, and counts no other', 1],
  ['to deleted webhooks only passes nothing on', 2],
])('a resend %s', async (_rule, deletedCount) => {
  const { store, app, config } = installation;
  const url = 'https://receiver.example.com/';
  const webhookUids = [
    (await insertWebhook(installation, { url }))._id,
    (await insertWebhook(installation, { url }))._id,
  ];
  const { _id: eventId } = await insertEvent(installation, []);
  const jobUid = await requestResend(store, { appUid: app.appUid, eventId, webhookUids });
  await store.webhooks.deleteMany({ _id: { $in: webhookUids.slice(0, deletedCount) } });
  const kept = webhookUids.slice(deletedCount);

  const ports = { store, clock: systemClock, ...noSignals, retention: config.retention };
  const page = await takeJobPage(ports, { jobUid, page: 1 });

  const events = kept.length === 0 ? [] : [{ eventId, webhookUids: kept }];
  expect(page).toMatchObject({ events, isLast: true });
  const deliveries = await store.deliveries.find({ eventId }).toArray();
  expect(deliveries.map((delivery) => delivery.webhookUid)).toEqual(kept);
  const job = await store.jobs.findOne({ _id: jobUid });
  expect(job).toMatchObject({ state: 'done', count: kept.length });
});

test('a resend signals the workflows whose deliveries it takes, at most 100 of them', async () => {
  const { store } = installation;
  const waiting = {
    webhookUid: 'whk_1',
    state: 'retrying',
    isRateLimited: false,
    partition: null,
  } as const;
  const own = { jobUid: null, jobPage: null };
  const events = await Promise.all(
    Array.from({ length: 102 }, async (_none, n) => {
      const { _id } = await insertEvent(installation, []);
      // Two share a workflow.
      const workflowId = `batch/${Math.max(1, n)}`;
      await store.events.updateOne({ _id }, { $set: { workflowId } });
      return { eventId: _id, workflowId };
    }),
  );
  const [first, second, third] = events.map(({ eventId }) => ({ ...waiting, ...own, eventId }));
  const told = await findWaitingWorkflows(store, [
    { ...waiting, eventId: 'evt_1', jobUid: 'job_1', jobPage: 7 },
    // A job sends it outside the order of its partition.
    { ...waiting, eventId: 'evt_2', jobUid: 'job_1', jobPage: 8, partition: 'whk_1/agent/a' },
    ...(first === undefined ? [] : [first]),
    ...(second === undefined
      ? []
      : [{ ...second, state: 'pending' as const, isRateLimited: true }]),
    ...(third === undefined ? [] : [{ ...third, partition: 'whk_1/agent/a' }]),
    ...(third === undefined ? [] : [{ ...third, state: 'pending' as const }]),
    ...(third === undefined
      ? []
      : [{ ...third, state: 'cancelled' as const, isRateLimited: true }]),
    { ...waiting, ...own, eventId: 'evt_unknown' },
  ]);
  const webhookUid = 'whk_1';
  expect([...told]).toEqual([
    ['job/job_1/7', [{ eventId: 'evt_1', webhookUid }]],
    ['job/job_1/8', [{ eventId: 'evt_2', webhookUid }]],
    [
      'batch/1',
      [
        { eventId: first?.eventId, webhookUid },
        { eventId: second?.eventId, webhookUid },
      ],
    ],
  ]);
  const all = events.map(({ eventId }) => ({ ...waiting, ...own, eventId }));
  expect((await findWaitingWorkflows(store, all)).size).toBe(100);
});

test('a resend signals the workflow of a delivery that waits in a partition', async () => {
  const { store, app, config } = installation;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  await store.events.updateOne({ _id: eventId }, { $set: { workflowId: 'batch/line' } });
  const limited = { eventId, webhookUid, state: 'pending', isRateLimited: true } as const;
  await store.deliveries.insertOne(newDelivery(installation, new Date(), limited));
  const asked = { appUid: app.appUid, eventId, webhookUids: [webhookUid] };
  const jobUid = await requestResend(store, asked);
  const told: Parameters<SignalTakenByJob>[0][] = [];
  const signalTakenByJob: SignalTakenByJob = async (workflows) => void told.push(workflows);
  const { retention } = config;
  const ports = { store, clock: systemClock, ...noSignals, signalTakenByJob, retention };
  await takeJobPage(ports, { jobUid, page: 1 });
  expect(told).toEqual([new Map([['batch/line', [{ eventId, webhookUid }]]])]);
});
