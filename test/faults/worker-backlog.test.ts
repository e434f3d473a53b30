// A worker that starts after an outage makes the waiting deliveries, and most of its workflow tasks end in time.
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const eventCount = 400;
const webhookCount = 9;
const timeoutMs = 150_000;

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;

beforeAll(async () => {
  installation = open.use(
    await createInstallation({ HERALD_API_DELIVERS: 'false', HERALD_EVENTS_PER_WORKFLOW: '1' }),
  );
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
});

afterAll(() => open[Symbol.asyncDispose]());

test('a worker that starts with 400 waiting events loses fewer workflow tasks than there are events', async () => {
  const api = open.use(await startRole('api', installation.env));
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  for (let n = 0; n < webhookCount; n += 1) {
    const ordering = n === 0 ? 'resource' : 'parallel';
    await insertWebhook(installation, { url: `${receiver.url}/${n}`, ordering });
  }
  for (let n = 0; n < eventCount; n += 20) {
    const uids = Array.from({ length: 20 }, (_, index) => `agt_${(n + index) % 200}`);
    await Promise.all(uids.map((uid) => reportChange(client, { uid })));
  }
  const worker = open.use(await startRole('worker', installation.env));
  const sent = () =>
    new Set(
      receiver.requests.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`),
    ).size;
  await waitFor(() => sent() === eventCount * webhookCount, { timeoutMs, state: sent });
  const lost = worker.lines.filter(({ message }) => message === 'Task not found when completing');
  expect(lost.length).toBeLessThan(eventCount);
}, 180_000);
