// A process whose collector is unavailable: traces continue in its log, and nothing else is affected.
import { Disposal } from '../../lib/platform/disposal.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { closedPort, type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook } from '../support/webhook-calls.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let api: RoleProcess;
let client: ApiClient;

beforeAll(async () => {
  installation = open.use(
    await createInstallation({
      HERALD_TRACE_SAMPLING: '1',
      HERALD_SEND_TRACEPARENT: 'false',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}`,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      // So that most spans do not fit into the queue.
      OTEL_BSP_SCHEDULE_DELAY: '10',
      OTEL_BSP_MAX_QUEUE_SIZE: '20',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    }),
  );
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  api = open.use(await startRole('api', installation.env));
  client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  await registerWebhook(client, { url: receiver.url });
});

afterAll(() => open[Symbol.asyncDispose]());

const traceIdOf = (index: number): string => index.toString(16).padStart(32, '0');
const count = 50;

async function report(index: number): Promise<string> {
  const answer = await client.call('POST', '/changes', {
    body: { event: 'agent.updated', data: { uid: `agt_${index}`, externalTenantId: 't' } },
    headers: {
      'x-api-key': installation.app.apiKey,
      traceparent: `00-${traceIdOf(index)}-b7ad6b7169203331-00`,
      tracestate: 'vendor=1',
    },
  });
  expect(answer.status).toBe(202);
  return String(answer.body['eventId']);
}

test('everything is delivered, without traceparent if it is off, and each line has its traceId', async () => {
  const indexes = Array.from({ length: count }, (_, index) => index + 1);
  const eventIds = await Promise.all(indexes.map(report));
  const attempted = () => api.lines.filter(({ msg }) => msg === 'delivery.attempted');
  await waitFor(() => attempted().length >= count, { what: 'the attempts' });
  expect(receiver.requests).toHaveLength(count);
  const names = new Set(receiver.requests.flatMap(({ headers }) => Object.keys(headers)));
  expect([names.has('webhook-id'), names.has('traceparent'), names.has('tracestate')]).toEqual([
    true,
    false,
    false,
  ]);
  const traceIdOfEvent = new Map(eventIds.map((eventId, at) => [eventId, traceIdOf(at + 1)]));
  for (const { eventId, traceId } of attempted()) {
    expect(traceId).toBe(traceIdOfEvent.get(String(eventId)));
  }
  const completed = () =>
    api.lines.filter(({ msg, status }) => msg === 'request.completed' && status === 202);
  const ofReports = await waitFor(() => completed().length === count && completed());
  expect(new Set(ofReports.map(({ traceId }) => traceId))).toEqual(
    new Set(traceIdOfEvent.values()),
  );
});

test('the log reports it once, not for each span, and the process stops in time', async () => {
  const told = () => api.lines.filter(({ msg }) => msg === 'telemetry.sdk');
  await waitFor(() => told().length > 0, { what: 'the line' });
  const { code, ms } = await api.end('SIGTERM');
  expect(code).toBe(0);
  expect(ms).toBeLessThan(8_000);
  expect(told()).toHaveLength(1);
});
