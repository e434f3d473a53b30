// Every change of a delivery's state (docs/ARCHITECTURE.md, "States of a delivery"), exercised once.
//
// Each step is one attempt, page or batch without Temporal.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { statusClassOf } from '../../../lib/model/attempt.ts';
import {
  type CancelReason,
  type DeliveryState,
  deliveryStates,
} from '../../../lib/model/delivery-state.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { createInstallation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { attempt, beginCourse, readStored, type Stage, steps } from './delivery-course.ts';

const open = new Disposal();
let receiver: Receiver;
let stage: Stage;

beforeAll(async () => {
  const installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => response.writeHead(stage.receiver.status).end()),
  );
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  const ports = deliveryPorts(installation, { sender });
  stage = { installation, ports, receiver: { url: receiver.url, status: 200 } };
});

afterAll(() => open[Symbol.asyncDispose]());

type Step = readonly [keyof typeof steps, DeliveryState];

const walks: (readonly Step[])[] = [
  [
    ['answered 200', 'delivered'],
    ['resent', 'pending'],
    ['answered 500', 'retrying'],
    ['answered 200', 'delivered'],
  ],
  [
    ['answered 500', 'retrying'],
    ['answered 500', 'retrying'],
    ['answered 500 to the last attempt', 'exhausted'],
  ],
  [
    ['answered 500', 'retrying'],
    ['answered 410', 'exhausted'],
  ],
  [
    ['answered 500', 'retrying'],
    ['address refused', 'blocked'],
  ],
  [
    ['answered 500', 'retrying'],
    ['webhook deleted, then attempted', 'cancelled'],
  ],
  [
    ['answered 500', 'retrying'],
    ['resumed and discarded', 'cancelled'],
  ],
  [
    ['answered 500', 'retrying'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 500', 'retrying'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['address refused', 'blocked'],
    ['resent', 'pending'],
    ['address refused', 'blocked'],
  ],
  [
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['webhook paused', 'held'],
    ['resumed and discarded', 'cancelled'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['webhook paused', 'held'],
    ['webhook deleted', 'cancelled'],
  ],
  [
    ['webhook paused', 'held'],
    ['held for too long', 'cancelled'],
  ],
  [['webhook deleted, then attempted', 'cancelled']],
  [
    ['resent', 'pending'],
    ['webhook deleted', 'cancelled'],
  ],
  [
    ['throttled', 'pending'],
    ['throttled', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['answered 500', 'retrying'],
    ['throttled', 'retrying'],
    ['open for too long', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['behind an earlier event', 'pending'],
    ['throttled', 'pending'],
    ['answered 500', 'retrying'],
    ['answered 200', 'delivered'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['answered 410', 'exhausted'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['answered 500', 'retrying'],
    ['webhook paused', 'held'],
    ['resumed', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['resumed and discarded', 'cancelled'],
    ['resent', 'pending'],
    ['answered 200', 'delivered'],
  ],
  [
    ['behind an earlier event', 'pending'],
    ['resent', 'pending'],
    ['resent', 'pending'],
    ['open for too long', 'cancelled'],
  ],
];

const reasons: Partial<Record<keyof typeof steps, CancelReason>> = {
  'webhook deleted, then attempted': 'webhook_deleted',
  'webhook deleted': 'webhook_deleted',
  'resumed and discarded': 'discarded',
  'held for too long': 'expired',
  'open for too long': 'abandoned',
};

const settled: ReadonlySet<string> = new Set(['delivered', 'exhausted', 'blocked', 'cancelled']);
const titleOf = (walk: readonly Step[]): string =>
  walk.map(([name, state]) => `${name}: ${state}`).join('; ');

test.each(walks.map((walk) => ({ title: titleOf(walk), walk })))('$title', async ({ walk }) => {
  const course = await beginCourse(stage);
  const { eventId } = course.key;
  const expectAt = async ([name, state]: Step): Promise<void> => {
    const delivery = await readStored(course);
    expect(delivery?.state).toBe(state);
    expect(delivery?.cancelReason).toBe(state === 'cancelled' ? reasons[name] : null);
    expect(delivery?.nextAttemptAt instanceof Date).toBe(state === 'retrying');
    const last = delivery?.attempts.findLast(({ n }) => n > delivery.scheduleFrom);
    expect(delivery?.errorClass).toBe(last?.errorClass ?? null);
    expect(delivery?.statusClass).toBe(last === undefined ? null : statusClassOf(last.status));
    expect(delivery?.statusClass === '2xx').toBe(state === 'delivered');
    // The receiver got exactly the requests that the document records.
    const sent = receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId);
    expect(delivery?.attempts.filter((made) => made.status !== null)).toHaveLength(sent.length);
  };
  for (const step of walk) {
    const [name, state] = step;
    await steps[name](course);
    await expectAt(step);
    if (!settled.has(state)) continue;
    // Another attempt at a settled delivery changes nothing.
    stage.receiver.status = 200;
    await attempt(course);
    await expectAt(step);
  }
});

test('the walks reach every state', () => {
  const reached = walks.flatMap((walk) => walk.map(([, state]) => state));
  expect([...new Set(reached)].toSorted()).toEqual(deliveryStates.toSorted());
});
