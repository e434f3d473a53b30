// A replay of many events keeps its rate and their order, and survives the kill of its worker.
import { Disposal } from '../../lib/platform/disposal.ts';
import { hourMs } from '../../lib/platform/duration.ts';
import { newId } from '../../lib/platform/ids.ts';
import { jobLimits } from '../../lib/limits.ts';
import { jobWorkflowId } from '../../lib/temporal/names.ts';
import type { JsonBody } from '../support/api-client.ts';
import { insertWebhook, newEvent } from '../support/fixtures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { pagesOf } from '../support/job-workflow.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const open = new Disposal();
let service: TestService;
let receiver: Receiver;
let worker: RoleProcess;

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  worker = await startRole('worker', service.env);
});

afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

interface Started {
  uid: string;
  /** The events to be sent, oldest first. */
  eventIds: string[];
  show: () => Promise<JsonBody>;
  arrived: () => string[];
}

/** Starts a replay of `count` events that a webhook did not get because it is newer. */
async function replayMissed(count: number, perSecond: number): Promise<Started> {
  // A replay stays 15 s behind the present, because newer events may still be committed.
  const since = new Date(Date.now() - hourMs);
  const until = new Date(since.getTime() + 1);
  const events = Array.from({ length: count }, () => newEvent(service, [], since));
  await service.store.events.insertMany(events.map((event) => ({ ...event, dispatchedAt: since })));
  const path = `/${newId('whk')}`;
  const webhook = await insertWebhook(service, { url: `${receiver.url}${path}` });
  const replays = `/webhooks/${webhook._id}/replays`;
  const time = { since: since.toISOString(), until: until.toISOString() };
  const body = { ...time, states: ['never_attempted'], perSecond };
  const answer = await service.call('POST', replays, { body });
  expect(answer.status).toBe(202);
  const uid = String(answer.body['uid']);
  return {
    uid,
    eventIds: events.map((event) => event._id),
    show: async () => (await service.call('GET', `${replays}/${uid}`)).body,
    arrived: () =>
      receiver.requests
        .filter((request) => request.path === path)
        .map(({ headers }) => String(headers['webhook-id'])),
  };
}

async function untilDone({ show }: Started): Promise<JsonBody> {
  return waitFor(
    async () => {
      const replay = await show();
      return String(replay['state']) === 'done' && replay;
    },
    { what: 'the end of the replay' },
  );
}

/** Checks that the replay enqueued each of its events once, in order, and no faster than its rate. */
async function expectPaced({ uid, eventIds }: Started, perSecond: number): Promise<void> {
  const workflowId = jobWorkflowId(uid);
  // The last page is recorded as taken before it is enqueued.
  await service.temporal.client.workflow.getHandle(workflowId).result();
  const pages = await pagesOf(service, workflowId);
  expect(pages.flatMap((page) => page.eventIds)).toEqual(eventIds);
  for (const [index, page] of pages.entries()) {
    expect(page.eventIds.length).toBeLessThanOrEqual(perSecond);
    if (index > 0) expect(page.afterMs).toBeGreaterThanOrEqual(jobLimits.pageEveryMs);
  }
}

test('a replay whose worker is killed continues on the next worker at its rate, and every event arrives', async () => {
  const replay = await replayMissed(30, 5);
  await waitFor(() => replay.arrived().length > 5, { what: 'the second page' });
  await worker.end('SIGKILL');
  const interrupted = await replay.show();
  expect(interrupted).toMatchObject({ state: 'running' });
  expect(Number(interrupted['releasedCount'])).toBeLessThan(30);

  worker = await startRole('worker', service.env);
  expect(await untilDone(replay)).toMatchObject({ releasedCount: 30 });
  await expectPaced(replay, 5);
  const { deliveries } = service.store;
  const delivered = { eventId: { $in: replay.eventIds }, state: 'delivered' } as const;
  await waitFor(async () => (await deliveries.countDocuments(delivered)) === 30, {
    what: 'every delivery recorded as delivered',
  });
  // An attempt that was cut off between its request and its record is repeated.
  expect([...new Set(replay.arrived())].toSorted()).toEqual(replay.eventIds);
});
