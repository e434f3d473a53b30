// The trace of a workflow's start.
import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { traceStart } from '../../../lib/dispatch/trace-start.ts';
import type { EventToDispatch } from '../../../lib/model/event.ts';
import { hourMs } from '../../../lib/platform/duration.ts';

const exporter = new InMemorySpanExporter();
const now = new Date('2026-03-01T12:00:00.000Z');
const endTraces = (): void => {
  for (const global of [trace, context, propagation]) global.disable();
};

beforeAll(() => {
  // A provider registered earlier must get none of the spans.
  new NodeTracerProvider().register();
  endTraces();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  new NodeTracerProvider({ spanProcessors }).register();
});
afterEach(() => exporter.reset());
afterAll(endTraces);

const traceIdOf = (digit: string): string => digit.repeat(32);
const spanId = 'b7ad6b7169203331';

/** An event in a trace whose ID repeats this digit; null: in no trace. */
function event(digit: string | null, ageMs = 0): EventToDispatch {
  return {
    _id: `evt_${digit}`,
    appUid: 'app_1',
    event: 'agent.updated',
    resourceUid: 'agt_1',
    externalTenantId: 'tenant-1',
    webhookUids: ['whk_1'],
    workflowId: null,
    createdAt: new Date(now.getTime() - ageMs),
    ...(digit === null ? {} : { trace: { traceparent: `00-${traceIdOf(digit)}-${spanId}-01` } }),
  };
}

async function start(...events: EventToDispatch[]) {
  const told: (string | undefined)[] = [];
  await traceStart({ workflowId: 'event/1', events, now }, async (traceparent) => {
    told.push(traceparent);
  });
  expect(told).toHaveLength(1);
  const [span = null, ...others] = exporter.getFinishedSpans();
  expect(others).toEqual([]);
  return { told: told[0], span, linked: span?.links.map((link) => link.context.traceId) };
}

test('the start for one event joins the trace of its change, and the workflow gets the traceparent', async () => {
  const { told, span, linked } = await start(event('a'));
  expect(span?.parentSpanContext).toMatchObject({ traceId: traceIdOf('a'), spanId });
  expect(linked).toEqual([]);
  expect(told).toBe(`00-${traceIdOf('a')}-${span?.spanContext().spanId}-01`);
});

test.each([
  ['several events', [event('a'), event(null), event('b')], [traceIdOf('a'), traceIdOf('b')]],
  ['an event older than an hour', [event('a', hourMs + 1)], [traceIdOf('a')]],
])('the start for %s has its own trace, linked to theirs', async (_name, events, traceIds) => {
  const { told, span, linked } = await start(...events);
  expect(span?.parentSpanContext).toBeUndefined();
  expect(linked).toEqual(traceIds);
  expect(told).toContain(span?.spanContext().traceId);
});

test.each([
  ['an event without a trace', [event(null)]],
  ['several events without a trace', [event(null), event(null)]],
])('the start for %s has no span, and the workflow gets no traceparent', async (_name, events) => {
  expect(await start(...events)).toEqual({ told: undefined, span: null, linked: undefined });
});
