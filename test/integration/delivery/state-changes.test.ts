// Every arrow of "States of a delivery" (docs/ARCHITECTURE.md), walked once by what the code does.
//
// Here each step is one attempt, page or batch without Temporal. The same arrows through workflows and API:
//   first attempt → delivered, retrying, blocked, exhausted    outcomes.test.ts, deactivation.test.ts
//   first attempt → pending                                    crowded-receiver.test.ts
//   retrying → delivered, exhausted, held, cancelled           retry-calendar.test.ts, deactivation.test.ts
//   waiting → delivered, retrying, exhausted, held             test/e2e/ordered-delivery.test.ts, ordered-pause.test.ts
//   held → pending, held, retrying → cancelled by a resume     test/e2e/pause-resume.test.ts
//   held → cancelled by time                                   test/integration/worker/tidy-up.test.ts
//   any → cancelled by an erasure                              test/e2e/erasure.test.ts
//   any → pending by a resend or replay                        test/e2e/redelivery.test.ts
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Disposal } from '../../../lib/disposal.ts';
import { deliveryStates } from '../../../lib/model/delivery-state.ts';
import type { DeliveryState } from '../../../lib/model/delivery-state.ts';
import { createHttpSender } from '../../../lib/net/http-sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { createInstallation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import type { Receiver } from '../../support/receivers.ts';
import { attempt, beginCourse, happenings, readStored } from './delivery-course.ts';
import type { Stage } from './delivery-course.ts';

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

type Step = readonly [keyof typeof happenings, DeliveryState];

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
    ['answered 500 at last', 'exhausted'],
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
    ['webhook deleted', 'cancelled'],
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
  [['answered 410', 'exhausted']],
  [
    ['answered 500 at last', 'exhausted'],
    ['resent', 'pending'],
    ['answered 500 at last', 'exhausted'],
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
    ['resumed', 'pending'],
    ['webhook deleted, then attempted', 'cancelled'],
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
  [
    ['webhook paused', 'held'],
    ['resent', 'pending'],
    ['webhook paused', 'held'],
  ],
  [['webhook deleted, then attempted', 'cancelled']],
  [
    ['resent', 'pending'],
    ['webhook deleted', 'cancelled'],
  ],
  [
    ['no turn at the receiver', 'pending'],
    ['no turn at the receiver', 'pending'],
    ['behind an earlier event', 'waiting'],
    ['behind an earlier event', 'waiting'],
    ['answered 200', 'delivered'],
  ],
  [
    ['answered 500', 'retrying'],
    ['behind an earlier event', 'waiting'],
    ['answered 500', 'retrying'],
    ['untouched', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['answered 410', 'exhausted'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['address refused', 'blocked'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['webhook paused', 'held'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['webhook deleted, then attempted', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['resumed and discarded', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['untouched', 'cancelled'],
  ],
  [
    ['behind an earlier event', 'waiting'],
    ['resent', 'pending'],
    ['resent', 'pending'],
    ['untouched', 'cancelled'],
  ],
];

const settled: ReadonlySet<string> = new Set(['delivered', 'exhausted', 'blocked', 'cancelled']);
const toldAs = (walk: readonly Step[]): string =>
  walk.map(([name, state]) => `${name}: ${state}`).join('; ');

test.each(walks.map((walk) => ({ told: toldAs(walk), walk })))('$told', async ({ walk }) => {
  const course = await beginCourse(stage);
  const { eventId } = course.key;
  const expectAt = async (state: DeliveryState): Promise<void> => {
    const delivery = await readStored(course);
    expect(delivery?.state).toBe(state);
    expect(delivery?.nextAttemptAt instanceof Date).toBe(state === 'retrying');
    // What the document tells was sent is what the receiver got, neither more nor less.
    const sent = receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId);
    expect(delivery?.attempts.filter((made) => made.status !== null)).toHaveLength(sent.length);
  };
  for (const [name, state] of walk) {
    await happenings[name].act(course);
    await expectAt(state);
    if (!settled.has(state)) continue;
    // Whoever still carries a settled delivery leaves it as it is.
    stage.receiver.status = 200;
    await attempt(course);
    await expectAt(state);
  }
});

/** Reads the arrows out of the diagram, each as `from ─ cause → to`; `none` is for no document. */
function readDiagram(): string[] {
  const text = readFileSync(new URL('../../../docs/ARCHITECTURE.md', import.meta.url), 'utf8');
  const [, block = ''] = /## States of a delivery\n\n```\n(.*?)```/s.exec(text) ?? [];
  const list = (names: string): string[] =>
    names === 'any of them'
      ? ['none', ...deliveryStates]
      : names.replace('(no document)', 'none').split(', ');
  const attempts = [...block.matchAll(/^(.+?) ──(.*?)─*▶ attempt/gm)];
  const attempted = attempts.flatMap(([, from = '']) => list(from));
  const first = attempts.filter(([, , when]) => when === '').flatMap(([, from = '']) => list(from));
  const ends = [...block.matchAll(/[┬├└]─▶ (\w+) +(.+)$/gm)].flatMap(([, to, why = '']) =>
    (why.startsWith('a first attempt') ? first : attempted).map(
      (from) => `${from} ─ attempt → ${to}`,
    ),
  );
  const others = [...block.matchAll(/^(.+?) ── (.+?) ──▶ (\w+)$/gm)].flatMap(
    ([, from = '', cause, to]) => list(from).map((each) => `${each} ─ ${cause} → ${to}`),
  );
  return [...ends, ...others];
}

test('these walks take every arrow of the diagram and no other', () => {
  const walked = walks.flatMap((walk) =>
    walk.map(([name, to], index) => {
      const from = walk[index - 1]?.[1] ?? 'none';
      return `${from} ─ ${happenings[name].cause} → ${to}`;
    }),
  );
  expect([...new Set(walked)].toSorted()).toEqual(readDiagram().toSorted());
});
