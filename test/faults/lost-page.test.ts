// The events of a taken page are sent even if the activity's result is lost or the job is cancelled meanwhile.
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createActivities } from '../../activities/index.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import type { DeliveryActivities } from '../../lib/temporal/messages.ts';
import type { TakeJobPageInput } from '../../lib/temporal/job-messages.ts';
import { jobWorkflowId } from '../../lib/temporal/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle-workflows.ts';
import {
  createActivityWorkers,
  createWorkflowWorker,
  runWorkers,
} from '../../worker/create-worker.ts';
import { deliveryPorts } from '../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../support/fixtures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const open = new Disposal();
let service: TestService;
let receiver: Receiver;
let webhookUid: string;
let eventIds: string[];
type TakePage = DeliveryActivities['takeJobPage'];
/** Replaces the activity `takeJobPage` for its next call. */
let takeOnce: ((take: TakePage, input: TakeJobPageInput) => ReturnType<TakePage>) | undefined;

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: service.config.egress }));
  const activities = createActivities(deliveryPorts(service, { sender }));
  const takeJobPage: TakePage = (input) => {
    const take = takeOnce ?? ((as, page) => as(page));
    takeOnce = undefined;
    return take((page) => activities.takeJobPage(page), input);
  };
  const bundle = await loadWorkflowBundle(service.config.workflowBundlePath);
  open.use(
    runWorkers([
      await createWorkflowWorker(service.temporal, { bundle, activities }),
      ...(await createActivityWorkers(service.temporal, { ...activities, takeJobPage })),
    ]),
  );
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhookUid = (await insertWebhook(service, { url: receiver.url }))._id;
  eventIds = [];
  for (let n = 0; n < 3; n += 1) {
    const { _id: eventId } = await insertEvent(service, [webhookUid]);
    const delivery = { eventId, webhookUid, state: 'exhausted', attemptCount: 1 } as const;
    await service.store.deliveries.insertOne(newDelivery(service, new Date(), delivery));
    eventIds.push(eventId);
  }
});

async function resend(): Promise<string> {
  const { body } = await service.call('POST', `/events/${eventIds[0]}/resend`, { body: {} });
  return String(body['redeliveryUid']);
}

async function replay(perSecond: number): Promise<string> {
  const body = { since: new Date(0).toISOString(), perSecond };
  const answer = await service.call('POST', `/webhooks/${webhookUid}/replays`, { body });
  return String(answer.body['uid']);
}

const workflowOf = (jobUid: string) =>
  service.temporal.client.workflow.getHandle(jobWorkflowId(jobUid));

async function untilStates(states: DeliveryState[]): Promise<void> {
  const ofWebhook = (): Promise<DeliveryState[]> =>
    service.store.deliveries
      .find({ webhookUid })
      .sort({ eventId: 1 })
      .map(({ state }) => state)
      .toArray();
  const wanted = JSON.stringify(states);
  await waitFor(async () => JSON.stringify(await ofWebhook()) === wanted, {
    what: wanted,
    state: ofWebhook,
  });
}

const arrived = (): string[] =>
  receiver.requests
    .map(({ headers }) => String(headers['webhook-id']))
    .filter((eventId) => eventIds.includes(eventId))
    .toSorted();

/** As if the worker had taken the page and was killed before it reported to Temporal. */
const loseAnswer: typeof takeOnce = async (take, input) => {
  await take(input);
  throw new Error('the answer was lost');
};

test('a resend whose page was taken but not reported is sent once', async () => {
  takeOnce = loseAnswer;
  const uid = await resend();
  await untilStates(['delivered', 'exhausted', 'exhausted']);
  expect(arrived()).toEqual(eventIds.slice(0, 1));
  expect(await service.store.jobs.findOne({ _id: uid })).toMatchObject({
    state: 'done',
    count: 1,
  });
});

test('the last page of a replay that was taken but not reported is sent once', async () => {
  takeOnce = loseAnswer;
  const uid = await replay(20);
  await untilStates(['delivered', 'delivered', 'delivered']);
  expect(arrived()).toEqual(eventIds);
  expect(await service.store.jobs.findOne({ _id: uid })).toMatchObject({
    state: 'done',
    count: 3,
    cursor: eventIds.at(-1),
  });
});

test('a replay that is cancelled before a page is taken again sends and counts that page, and no other', async () => {
  takeOnce = async (take, input) => {
    await take(input);
    const path = `/webhooks/${webhookUid}/replays/${input.jobUid}/cancel`;
    await service.call('POST', path);
    throw new Error('the answer was lost');
  };
  const uid = await replay(2);
  await untilStates(['delivered', 'delivered', 'exhausted']);
  expect(await workflowOf(uid).result()).toEqual({ pages: 1 });
  expect(arrived()).toEqual(eventIds.slice(0, 2));
  expect(await service.store.jobs.findOne({ _id: uid })).toMatchObject({
    state: 'cancelled',
    count: 2,
  });
});

test('a workflow that is cancelled while it takes a page enqueues that page, and no other', async () => {
  takeOnce = async (take, input) => {
    const page = await take(input);
    await workflowOf(input.jobUid).cancel();
    return page;
  };
  const uid = await replay(2);
  await untilStates(['delivered', 'delivered', 'exhausted']);
  await expect(workflowOf(uid).result()).rejects.toThrow(/cancel/i);
  expect(arrived()).toEqual(eventIds.slice(0, 2));
});

test('a page is taken again when its worker misses its heartbeats', async () => {
  let resume: (() => void) | undefined;
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  takeOnce = async (take, input) => {
    await resumed;
    return take(input);
  };
  const uid = await resend();
  await untilStates(['delivered', 'exhausted', 'exhausted']);
  resume?.();
  const history = historyToJSON(await workflowOf(uid).fetchHistory());
  expect(history).toContain('"timeoutType": "TIMEOUT_TYPE_HEARTBEAT"');
});
