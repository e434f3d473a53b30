// A process that seemed dead but continues: its late records do not take a delivery from its new owner.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { retryDelivery } from '../../../activities/retry-delivery.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { SendFault } from '../../../lib/egress/send-fault.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { resumeWebhook } from '../../support/resume.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let key: DeliveryKey;
let status = 200;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

beforeEach(async () => {
  status = 200;
  const { appUid, _id: webhookUid } = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  key = { appUid, eventId, webhookUid };
});

afterAll(() => open[Symbol.asyncDispose]());

const insert = (fields: Partial<DeliveryDocument>) =>
  installation.store.deliveries.insertOne(
    newDelivery(installation, new Date(), { ...key, ...fields }),
  );

const pause = () =>
  installation.store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: false } });

/** A process in which something happens in another process between its attempt and the record of it. */
const overtakenBy = (meanwhile: () => Promise<unknown>): DeliveryPorts => ({
  ...ports,
  records: {
    ...ports.records,
    async record(asked, step) {
      await meanwhile();
      return ports.records.record(asked, step);
    },
  },
});

const attempt = (by: DeliveryPorts) =>
  attemptDelivery(by, key, { caller: { kind: 'event' }, signal: new AbortController().signal });

/** Attempts whose outcome is recorded late. */
const lateSteps = {
  'is throttled': async (by: DeliveryPorts) => {
    const send = async () => {
      throw new SendFault('THROTTLED', 'too many requests to this receiver are under way');
    };
    return attempt({ ...by, sender: { ...by.sender, send } });
  },
  'finds its webhook paused': async (by: DeliveryPorts) => {
    await pause();
    return attempt(by);
  },
  fails: async (by: DeliveryPorts) => {
    status = 500;
    return attempt(by);
  },
};

const standings: [Partial<DeliveryDocument>, string][] = [
  [{ state: 'held' }, 'held'],
  [{ state: 'cancelled' }, 'cancelled'],
  [{ state: 'delivered', attemptCount: 1 }, 'delivered'],
  [{ state: 'pending', jobUid: 'job_1', jobPage: 1 }, 'superseded'],
  [{ state: 'delivered', attemptCount: 1, jobUid: 'job_1', jobPage: 1 }, 'delivered'],
];

test.each(
  Object.entries(lateSteps).flatMap(([what, step]) =>
    standings.map(([standing, reported]) => ({ what, step, standing, reported })),
  ),
)(
  'a first attempt that $what does not change a delivery that is $standing by then',
  async ({ step, standing, reported }) => {
    const outcome = await step(overtakenBy(() => insert(standing)));
    expect(outcome.state).toBe(reported);
    expect(await installation.store.deliveries.findOne(key)).toMatchObject(standing);
  },
);

test('the next page of a release takes a delivery that is held after the resume', async () => {
  await pause();
  let jobUid = '';
  const overtaken = overtakenBy(async () => {
    const resumed = await resumeWebhook(ports, key);
    expect(resumed.page).toMatchObject({ events: [], isLast: false });
    ({ jobUid } = resumed);
  });
  expect(await attempt(overtaken)).toMatchObject({ state: 'held' });
  const { eventId, webhookUid } = key;
  expect(await takeJobPage(ports, { jobUid, page: 2 })).toMatchObject({
    events: [{ eventId, webhookUids: [webhookUid] }],
    isLast: false,
  });
});

test('a retry that finds another process ahead is repeated until the delivery is settled', async () => {
  const inActivity = (by: DeliveryPorts) =>
    new MockActivityEnvironment().run(() => retryDelivery(by, key));
  await pause();
  // The other process is killed after this step.
  const overtaken = overtakenBy(() => insert({ state: 'pending', attemptCount: 1 }));
  await expect(inActivity(overtaken)).rejects.toMatchObject({
    type: 'AttemptUnderWay',
    message: 'another process is making the attempt',
  });
  const { webhooks } = installation.store;
  await webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: true } });
  expect(await inActivity(ports)).toMatchObject({ state: 'delivered', attemptCount: 2 });
});
