// Temporal is unavailable: changes are accepted and first attempts made. Their workflows follow once it is back.
import { Disposal } from '../../lib/platform/disposal.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type ServerProxy, startTemporalProxy } from '../support/server-proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const open = new Disposal();
let proxy: ServerProxy;
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  proxy = open.use(await startTemporalProxy());
  const env = { TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}` };
  service = open.use(await startService({ env }));
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
});

afterAll(() => open[Symbol.asyncDispose]());

test('first deliveries continue while Temporal is unavailable, even in order, and each has its workflow afterwards', async () => {
  await insertWebhook(service, { url: receiver.url });
  await insertWebhook(service, { url: `${receiver.url}/ordered`, ordering: 'resource' });
  proxy.refuse(true);
  const eventIds: string[] = [];
  for (let n = 0; n < 20; n += 1) eventIds.push(await reportChange(service));
  const delivered = { eventId: { $in: eventIds }, state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(delivered)) === 40);
  const waiting = { _id: { $in: eventIds }, dispatchedAt: null };
  expect(await service.store.events.countDocuments(waiting)).toBe(20);
  proxy.refuse(false);
  await waitFor(async () => (await service.store.events.countDocuments(waiting)) === 0, {
    what: 'every event dispatched',
  });
  const events = await service.store.events.find({ _id: { $in: eventIds } }).toArray();
  for (const workflowId of new Set(events.map((event) => event.workflowId ?? ''))) {
    const handle = service.temporal.client.workflow.getHandle(workflowId);
    expect(await handle.result()).toMatchObject({ failedCount: 0, cancelled: 0 });
  }
  expect(receiver.requests).toHaveLength(40);
  const ordered = receiver.requests.filter(({ path }) => path === '/ordered');
  expect(ordered.map(({ headers }) => headers['webhook-id'])).toEqual(eventIds);
});
