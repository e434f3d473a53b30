// A change is one trace, from its caller to its receivers, as seen by a collector.
import { Disposal } from '../../lib/platform/disposal.ts';
import { startTelemetry, type Telemetry } from '../../lib/telemetry/start-telemetry.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../support/trace-collector.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook } from '../support/webhook-calls.ts';
import { stubEnv, unstubEnvs } from '../support/stub-env.ts';

const open = new Disposal();
let collector: TraceCollector;
let service: TestService;
let receiver: Receiver;
let telemetry: Telemetry;

// The path of the receiver contains the attempt that it accepts.
const takeAt: Answering = (response, { path, headers }) => {
  const isTaken = Number(headers['x-webhook-attempt']) >= Number(path.slice(1));
  response.writeHead(isTaken ? 200 : 503).end();
};

beforeAll(async () => {
  collector = open.use(await startTraceCollector());
  for (const [name, value] of Object.entries(collector.env)) stubEnv(name, value);
  const env = { ...collector.env, HERALD_TRACE_SAMPLING: '1', HERALD_ALLOW_HOSTS: 'localhost' };
  receiver = open.use(await startReceiver(takeAt));
  service = open.use(await startService({ env }));
  telemetry = open.use(await startTelemetry('api', service.config.telemetry));
});

afterAll(async () => {
  unstubEnvs();
  await open[Symbol.asyncDispose]();
});

interface ParentSpan {
  traceId: string;
  spanId: string;
}

let callers = 0;

/** Returns a caller with its own trace. */
function newCaller(): ParentSpan {
  callers += 1;
  const number = callers.toString(16).padStart(4, '0');
  return { traceId: `0af7651916cd43dd8448eb211c80${number}`, spanId: `b7ad6b716920${number}` };
}

async function register(path: string): Promise<string> {
  const url = `http://localhost:${receiver.port}${path}`;
  const fields = { url, retrySchedule: ['1s', '1s'], externalTenantIds: [path.slice(1)] };
  return (await registerWebhook(service, fields)).uid;
}

/** Reports a change for the webhook at a path. */
async function report(path: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await service.call('POST', '/changes', {
    body: { event: 'agent.updated', data: { uid: 'agt_1', externalTenantId: path.slice(1) } },
    headers: { 'x-api-key': service.app.apiKey, ...headers },
  });
  expect(answer.status).toBe(202);
  return String(answer.body['eventId']);
}

const headersOf = ({ traceId, spanId }: ParentSpan) => ({
  traceparent: `00-${traceId}-${spanId}-00`,
});

/** Waits until a trace has spans with these names, and returns all its spans in the order of their start. */
async function untilTraced(traceId: string, ...names: string[]): Promise<CollectedSpan[]> {
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  const isThere = () => {
    const left = ofTrace().map(({ name }) => name);
    return names.every((name) => left.splice(left.indexOf(name), left.includes(name) ? 1 : 0)[0]);
  };
  const state = () => ofTrace().map(({ name }) => name);
  await waitFor(isThere, { what: `the spans ${names.join()}`, state, timeoutMs: 20_000 });
  return ofTrace().sort((a, b) => a.startMs - b.startMs);
}

function one(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (found === undefined || others.length > 0) {
    throw new Error(`not one "${name}" among ${spans.map((span) => span.name).join()}`);
  }
  return found;
}

const route = 'POST /api/v1/appuid/:appUid/changes';
const workflowNames = ['start workflow deliverEvents', 'workflow deliverEvents'];

/** Returns a line per span: its name, its parent, its kind. */
const tree = (spans: readonly CollectedSpan[]): string[] => {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(
    ({ name, parentSpanId, kind }) => `${name} < ${names.get(parentSpanId) ?? 'caller'} (${kind})`,
  );
};

test('a change and its delivery form one trace, from the caller to the receiver', async () => {
  const webhookUid = await register('/1');
  const from = newCaller();
  const eventId = await report('/1', { ...headersOf(from), tracestate: 'vendor=1' });
  const names = [...workflowNames, 'attempt delivery', 'activity attemptFirst', route];
  const spans = await untilTraced(from.traceId, ...names, 'first byte');
  const lines = tree(spans);
  expect(lines).toEqual(
    expect.arrayContaining([
      `${route} < caller (server)`,
      `aggregate apiKeys < ${route} (client)`,
      `commit change < ${route} (internal)`,
      'insert events < commit change (client)',
      `attempt delivery < ${route} (client)`,
      'dns lookup < attempt delivery (internal)',
      'connect < attempt delivery (internal)',
      'first byte < attempt delivery (internal)',
      'insert deliveries < attempt delivery (client)',
      `start workflow deliverEvents < ${route} (producer)`,
      'workflow deliverEvents < start workflow deliverEvents (internal)',
      'activity attemptFirst < start workflow deliverEvents (consumer)',
    ]),
  );
  expect(spans.filter(({ isError }) => isError)).toEqual([]);
  const request = one(spans, route);
  const attempt = one(spans, 'attempt delivery');
  expect(request.parentSpanId).toBe(from.spanId);
  expect(request.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v1/appuid/:appUid/changes',
    'http.response.status_code': 202,
    'herald.request.id': expect.stringMatching(/^req_/),
    'herald.app.uid': service.app.appUid,
  });
  expect(attempt.attributes).toEqual({
    'http.request.method': 'POST',
    'url.scheme': 'http',
    'server.address': 'localhost',
    'server.port': receiver.port,
    'network.peer.address': '127.0.0.1',
    'http.response.status_code': 200,
    'herald.app.uid': service.app.appUid,
    'herald.event.id': eventId,
    'herald.event.name': 'agent.updated',
    'herald.webhook.uid': webhookUid,
    'herald.attempt.number': 1,
    'herald.attempt.trigger': 'event',
    'herald.delivery.state': 'delivered',
  });
  expect(one(spans, 'insert events').attributes).toEqual({
    'db.system.name': 'mongodb',
    'db.namespace': service.config.mongodb.database,
    'db.operation.name': 'insert',
    'db.collection.name': 'events',
  });
  expect(one(spans, 'activity attemptFirst').attributes).toEqual({
    'temporal.activity.type': 'attemptFirst',
    'temporal.activity.attempt': 1,
    'temporal.workflow.id': `agent.updated/${eventId}`,
  });
  const inOrder = ['commit change', 'attempt delivery', 'dns lookup', 'connect', 'first byte'];
  const starts = inOrder.map((name) => one(spans, name).startMs);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(one(spans, 'first byte').endMs).toBeLessThanOrEqual(attempt.endMs);
  const [received] = receiver.requests.filter(({ path }) => path === '/1');
  expect(received?.headers).toMatchObject({
    traceparent: `00-${from.traceId}-${attempt.spanId}-01`,
    tracestate: 'vendor=1',
  });
});

test('a change that is delivered at the third attempt is one trace', async () => {
  const webhookUid = await register('/3');
  const from = newCaller();
  const eventId = await report('/3', headersOf(from));
  const attempts = Array<string>(3).fill('attempt delivery');
  const spans = await untilTraced(from.traceId, ...attempts, ...workflowNames, route);
  const made = spans.filter(({ name }) => name === 'attempt delivery');
  const names = new Map(spans.map((span) => [span.spanId, span.name]));
  expect(
    made.map(({ attributes, isError, parentSpanId }) => [
      attributes['herald.attempt.number'],
      attributes['http.response.status_code'],
      attributes['error.type'],
      attributes['http.request.resend_count'],
      attributes['herald.delivery.state'],
      isError,
      names.get(parentSpanId),
    ]),
  ).toEqual([
    [1, 503, '503', undefined, 'retrying', true, route],
    [2, 503, '503', 1, 'retrying', true, 'activity retryDelivery'],
    [3, 200, undefined, 2, 'delivered', false, 'activity retryDelivery'],
  ]);
  const workflow = one(spans, 'workflow deliverEvents');
  expect(workflow.endMs).toBeGreaterThanOrEqual(made.at(-1)?.endMs ?? Infinity);
  expect(workflow.isError).toBe(false);
  const { body } = await service.call('GET', `/events/${eventId}/deliveries/${webhookUid}`);
  const shown = body['attempts'] as unknown as { traceId: string }[];
  const traceIds = shown.map(({ traceId }) => traceId);
  expect(traceIds).toEqual([from.traceId, from.traceId, from.traceId]);
  const sent = receiver.requests.filter(({ path }) => path === '/3');
  expect(sent.map(({ headers }) => headers['traceparent'])).toEqual(
    made.map(({ spanId }) => `00-${from.traceId}-${spanId}-01`),
  );
});

test('a resend has its own trace, linked to that of the change', async () => {
  const webhookUid = await register('/-1');
  const from = newCaller();
  const eventId = await report('/-1', headersOf(from));
  const spans = await untilTraced(from.traceId, route, 'attempt delivery');
  const path = `/events/${eventId}/resend`;
  const answer = await service.call('POST', path, { body: { webhookUids: [webhookUid] } });
  expect(answer.status).toBe(202);
  const isResend = ({ attributes }: CollectedSpan): boolean =>
    attributes['herald.event.id'] === eventId && attributes['herald.attempt.trigger'] === 'resend';
  expect(await inputOf(eventId)).toContain('"trace":"00-');
  const resent = await waitFor(() => collector.spans.find(isResend), { what: 'the resend' });
  expect(resent.traceId).not.toBe(from.traceId);
  expect(resent.parentSpanId).toBe('');
  expect(resent.links).toEqual([{ traceId: from.traceId, spanId: one(spans, route).spanId }]);
});

/** The input of an event's workflow, as text. */
async function inputOf(eventId: string): Promise<string> {
  const dispatched = { _id: eventId, dispatchedAt: { $ne: null } };
  const event = await waitFor(
    async () => (await service.store.events.findOne(dispatched)) ?? undefined,
    { what: 'the start' },
  );
  const handle = service.temporal.client.workflow.getHandle(event.workflowId ?? '');
  const [started] = (await handle.fetchHistory()).events ?? [];
  const payloads = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payloads.map(({ data }) => Buffer.from(data ?? []).toString()).join();
}

test('without sampling nothing is sent, stored or reported, whatever a caller requests', async () => {
  const webhookUid = await register('/-3');
  await telemetry[Symbol.asyncDispose]();
  const count = collector.spans.length;
  const { traceId, spanId } = newCaller();
  const eventId = await report('/-3', { traceparent: `00-${traceId}-${spanId}-01` });
  const delivered = { eventId, webhookUid, state: 'delivered' } as const;
  const delivery = await waitFor(
    async () => (await service.store.deliveries.findOne(delivered)) ?? undefined,
    { what: 'the delivery' },
  );
  expect(Object.keys(delivery.attempts[0] ?? {})).not.toContain('traceId');
  expect(await service.store.events.findOne({ _id: eventId })).not.toHaveProperty('trace');
  expect(await inputOf(eventId)).not.toContain('trace');
  const [received] = receiver.requests.filter(({ path }) => path === '/-3');
  expect(received?.headers).not.toHaveProperty('traceparent');
  expect(collector.spans).toHaveLength(count);
});
