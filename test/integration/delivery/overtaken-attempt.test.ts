// An attempt of a process that was taken for dead and works on: what it still does leaves no delivery without a carrier.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { retryDelivery } from '../../../activities/retry-delivery.ts';
import { attemptDelivery } from '../../../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/delivery/ports.ts';
import { Disposal } from '../../../lib/disposal.ts';
import type { DeliveryDocument, DeliveryKey } from '../../../lib/model/delivery.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { SendFault } from '../../../lib/net/send-fault.ts';
import { takeBack } from '../../../lib/store/held-deliveries.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let key: DeliveryKey;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
});

beforeEach(async () => {
  const { appUid, _id: webhookUid } = await insertWebhook(installation, { url: receiver.url });
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  key = { appUid, eventId, webhookUid };
});

afterAll(() => open[Symbol.asyncDispose]());

const inActivity = <T>(run: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(run);

const insert = (fields: Partial<DeliveryDocument>) =>
  installation.store.deliveries.insertOne(
    newDelivery(installation, new Date(), { ...key, ...fields }),
  );

test('who finds its delivery taken back by another process asks again until it is settled', async () => {
  await insert({ state: 'held' });
  // The other process is lost after this step.
  const overtaken: DeliveryPorts = {
    ...ports,
    records: {
      ...ports.records,
      async readDelivery(asked) {
        const read = await ports.records.readDelivery(asked);
        const facts = { redeliveryUid: null, lane: null, now: new Date() };
        await takeBack(installation.store, key, facts);
        return read;
      },
    },
  };
  await expect(inActivity(() => retryDelivery(overtaken, key))).rejects.toMatchObject({
    type: 'NoTurn',
    message: 'another process has the attempt in hand',
  });
  await installation.store.deliveries.updateOne(key, { $set: { state: 'held' } });
  const { appUid, ...delivery } = key;
  const input = { appUid, deliveries: [delivery] };
  const [outcome] = await inActivity(() => attemptFirst(overtaken, input));
  expect(outcome).toMatchObject({ state: 'retrying', nextAttemptAt: null });
  expect(receiver.requests.filter(isOfEvent)).toHaveLength(0);

  expect(await inActivity(() => retryDelivery(ports, key))).toMatchObject({ state: 'delivered' });
  expect(receiver.requests.filter(isOfEvent)).toHaveLength(1);
});

const isOfEvent = ({ headers }: Receiver['requests'][number]): boolean =>
  headers['webhook-id'] === key.eventId;

test.each<Partial<DeliveryDocument> & Pick<DeliveryDocument, 'state'>>([
  { state: 'held', lane: null },
  { state: 'waiting', lane: { entity: 'agent', resourceUid: 'agt_1', sequence: 1 } },
])('a first attempt without a turn leaves what is %j by then as it is', async (standing) => {
  const crowded: DeliveryPorts = {
    ...ports,
    sender: {
      ...ports.sender,
      async send() {
        await insert(standing);
        throw new SendFault('NO_TURN', 'too many requests to this receiver are under way');
      },
    },
  };
  const { signal } = new AbortController();
  const outcome = await attemptDelivery(crowded, key, { redeliveryUid: null, signal });
  expect(outcome).toMatchObject({ state: standing.state });
  expect(await installation.store.deliveries.findOne(key)).toMatchObject(standing);
});
