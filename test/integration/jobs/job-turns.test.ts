// Few long jobs of an application run at the same time, and one replay or sync of a webhook; the others wait.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../lib/platform/clock.ts';
import { beginWaitingJobs } from '../../../lib/jobs/job-turns.ts';
import { findUnstartedJobs } from '../../../lib/jobs/jobs.ts';
import { jobLimits } from '../../../lib/limits.ts';
import type { Answer } from '../../support/api-client.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { newReplayJob, takeAllPages } from '../../support/jobs.ts';
import { distinctScan } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';

const { unfinishedPerKindMax } = jobLimits;
let service: TestService;
let webhookUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await service.store.jobs.deleteMany({});
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

const range = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

const replay = (): Promise<Answer> =>
  service.call('POST', `/webhooks/${webhookUid}/replays`, { body: { ...range, perSecond: 1 } });

const stateOf = ({ body }: Answer): string => String(body['state']);
const uidOf = ({ body }: Answer): string => String(body['uid']);

async function statesOf(answers: readonly Answer[]): Promise<(string | undefined)[]> {
  const jobs = await service.store.jobs.find({ _id: { $in: answers.map(uidOf) } }).toArray();
  return answers.map((answer) => jobs.find(({ _id }) => _id === uidOf(answer))?.state);
}

const finish = (answer: Answer): Promise<unknown> =>
  takeAllPages(
    { ...noSignals, store: service.store, clock: systemClock, retention: service.config.retention },
    uidOf(answer),
  );

test('a second replay of a webhook waits, is shown as waiting, and begins when the first has ended', async () => {
  const [first, second] = [await replay(), await replay()];
  expect([first, second].map(stateOf)).toEqual(['running', 'waiting']);
  await beginWaitingJobs(service.store);
  expect(await statesOf([first, second])).toEqual(['running', 'waiting']);
  await finish(first);
  await beginWaitingJobs(service.store);
  expect(await statesOf([first, second])).toEqual(['done', 'running']);
});

test('of concurrent replays of a webhook, one runs', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => replay()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(answers.map(stateOf).filter((state) => state === 'running')).toHaveLength(1);
});

test('an application whose turn conflicts holds up no other', async () => {
  const [first, second] = [await replay(), await replay()];
  await finish(first);
  const { client, apps } = service.store;
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await apps.updateOne({ _id: service.app.appUid }, { $inc: { turn: 1 } }, { session });
      await beginWaitingJobs(service.store);
    }),
  );
  expect(await statesOf([second])).toEqual(['waiting']);
  await beginWaitingJobs(service.store);
  expect(await statesOf([second])).toEqual(['running']);
});

test('no workflow starts for a job that waits', async () => {
  const [first] = [await replay(), await replay()];
  await service.store.jobs.updateMany({}, { $set: { startedAt: null } });
  const unstarted = await findUnstartedJobs(service.store, new Date(Date.now() + 60_000), 10);
  expect(unstarted.map(({ _id }) => _id)).toEqual([uidOf(first)]);
});

test('a cancelled replay that waited never begins', async () => {
  const [first, second] = [await replay(), await replay()];
  const path = `/webhooks/${webhookUid}/replays/${uidOf(second)}`;
  expect((await service.call('POST', `${path}/cancel`)).status).toBe(200);
  await finish(first);
  await beginWaitingJobs(service.store);
  expect(await statesOf([second])).toEqual(['cancelled']);
});

test('one unfinished replay more than an application may have is refused', async () => {
  const { appUid } = service.app;
  const unfinished = Array.from({ length: unfinishedPerKindMax - 1 }, () =>
    newReplayJob({ appUid, webhookUid, createdAt: new Date() }),
  );
  await service.store.jobs.insertMany(unfinished.map((job) => ({ ...job, state: 'waiting' })));
  expect((await replay()).status).toBe(202);
  expectProblem(await replay(), 409, 'limit_reached');
});

test('the relay finds the applications with waiting jobs by one key of an index each', async () => {
  await replay();
  await replay();
  const scan = await distinctScan(service.store, 'jobs', () => beginWaitingJobs(service.store));
  expect(scan).toEqual({ indexes: new Set(['jobs.waiting']), docsExamined: 0 });
});
