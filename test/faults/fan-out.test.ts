// One event to many webhooks (1,000 in the soak): the number of its activities and the size of its history.
import { deliveryLog } from '../../lib/platform/logger.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const webhookCount = Math.max(200, soakShare(1_000));
// Above 50, webhooks share activities.
const activityCount = Math.ceil(webhookCount / Math.ceil(webhookCount / 50));

let service: TestService;
let receiver: Receiver;
/** The paths whose next response is 500. */
const failing = new Set<string>();

beforeAll(async () => {
  service = await startService({
    env: { HERALD_WEBHOOKS_PER_APP: String(webhookCount), HERALD_RETRY_SCHEDULE: '1s,1s' },
  });
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(failing.delete(path) ? 500 : 200).end();
  });
  await Promise.all(
    Array.from({ length: webhookCount }, (_, n) =>
      insertWebhook(service, { url: `${receiver.url}/${n}` }),
    ),
  );
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

interface Course {
  summary: unknown;
  activities: Record<string, number>;
  historyEvents: number;
  historyBytes: number;
  attempts: number;
  /** Deliveries whose first attempt was throttled, which happens only on a busy machine. */
  throttled: number;
}

/** Reports one change and follows its workflow to the end. */
async function deliverOne(): Promise<Course> {
  const before = receiver.requests.length;
  using logged = jest.spyOn(deliveryLog, 'info');
  const eventId = await reportChange(service);
  const workflowId = await waitFor(async () => {
    const event = await service.store.events.findOne({ _id: eventId });
    return (event?.dispatchedAt && event.workflowId) || undefined;
  });
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  const summary: unknown = await handle.result();
  const info = (await handle.describe()).raw.workflowExecutionInfo;
  const { events } = await handle.fetchHistory();
  const activities: Record<string, number> = {};
  for (const event of events ?? []) {
    // A local activity is recorded as a marker.
    const name = event.markerRecordedEventAttributes
      ? 'attemptFirst'
      : event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (name) activities[name] = (activities[name] ?? 0) + 1;
  }
  return {
    summary,
    activities,
    historyEvents: Number(info?.historyLength),
    historyBytes: Number(info?.historySizeBytes),
    // By number, because on a machine too busy for heartbeats the same attempt may be made twice.
    attempts: new Set(receiver.requests.slice(before).map(numberOf)).size,
    throttled: logged.mock.calls.filter((call: unknown[]) => call[1] === 'delivery.throttled')
      .length,
  };
}

const numberOf = ({ path, headers }: ReceivedRequest): string =>
  `${path} ${String(headers['x-webhook-attempt'])}`;

// The bounds of docs/scaling.md: an activity is three events, and a workflow task at most three more.
test.each([
  { what: 'no receiver fails', failures: 0 },
  { what: 'half of the receivers fail once', failures: webhookCount / 2 },
  { what: 'all receivers fail once', failures: webhookCount },
])(
  'when $what, one event to many webhooks takes at most 50 first activities and one per failing delivery',
  async ({ failures }) => {
    for (let n = 0; n < failures; n += 1) failing.add(`/${n}`);
    const course = await deliverOne();
    expect(course.summary).toMatchObject({
      deliveries: webhookCount,
      delivered: webhookCount,
      failedCount: 0,
    });
    const { attemptFirst, retryDelivery = 0, ...others } = course.activities;
    expect({ attemptFirst, others }).toEqual({ attemptFirst: activityCount, others: {} });
    const retriesMax = failures + course.throttled;
    expect(retryDelivery).toBeGreaterThanOrEqual(failures);
    expect(retryDelivery).toBeLessThanOrEqual(retriesMax);
    expect(course.attempts).toBe(webhookCount + failures);
    expect(course.historyEvents).toBeLessThanOrEqual(6 * (activityCount + retriesMax) + 20);
    expect(course.historyBytes).toBeLessThanOrEqual(512 * 1024 + 2_048 * retriesMax);
  },
  300_000,
);
