// Which trace the start of a workflow is in.
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
  // One that was there before and has ended gets none of the spans.
  new NodeTracerProvider().register();
  endTraces();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  new NodeTracerProvider({ spanProcessors }).register();
});
afterEach(() => exporter.reset());
afterAll(endTraces);

const traceIdOf = (digit: string): string => digit.repeat(32);
const spanId = 'b7ad6b7169203331';

/** An event whose trace has an id of this digit; null: it is in none. */
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

test('that of one event is in the trace of its change, and the workflow is told of it', async () => {
  const { told, span, linked } = await start(event('a'));
  expect(span?.parentSpanContext).toMatchObject({ traceId: traceIdOf('a'), spanId });
  expect(linked).toEqual([]);
  expect(told).toBe(`00-${traceIdOf('a')}-${span?.spanContext().spanId}-01`);
});

test.each([
  ['of several events', [event('a'), event(null), event('b')], [traceIdOf('a'), traceIdOf('b')]],
  ['of an event of more than an hour ago', [event('a', hourMs + 1)], [traceIdOf('a')]],
])('that %s is a trace of its own, linked to theirs', async (_name, events, traceIds) => {
  const { told, span, linked } = await start(...events);
  expect(span?.parentSpanContext).toBeUndefined();
  expect(linked).toEqual(traceIds);
  expect(told).toContain(span?.spanContext().traceId);
});

test.each([
  ['of an event in no trace', [event(null)]],
  ['of several such events', [event(null), event(null)]],
])('that %s is no span, and the workflow is told of none', async (_name, events) => {
  expect(await start(...events)).toEqual({ told: undefined, span: null, linked: undefined });
});
