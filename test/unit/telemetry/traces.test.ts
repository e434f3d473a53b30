// Traces: the headers of a caller, which ones are recorded, and the spans that join them.
import {
  propagation,
  trace,
  TraceFlags,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  context,
} from '@opentelemetry/api';
import {
  NodeTracerProvider,
  SamplingDecision,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import {
  contextOfCaller,
  spanContextOf,
  toTraceContext,
} from '../../../lib/telemetry/trace-context.ts';
import { ShareSampler } from '../../../lib/telemetry/sampler.ts';
import { chooseParent } from '../../../lib/telemetry/span-parent.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import { traceStart } from '../../../lib/dispatch/trace-start.ts';
import type { EventToDispatch } from '../../../lib/model/event.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const good = `00-${traceId}-${spanId}-01`;
const placeOfCaller = (headers: Record<string, string>) =>
  trace.getSpanContext(contextOfCaller(headers));

test.each([
  ['00 with the flag', good],
  ['00 without it', `00-${traceId}-${spanId}-00`],
  ['a later version with more fields', `cc-${traceId}-${spanId}-01-what-the-future-will-be`],
])('the trace of %s is continued, but its flag is ignored', (_name, traceparent) => {
  const place = placeOfCaller({ traceparent });
  expect(place).toMatchObject({ traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true });
});

test.each([
  ['nothing', ''],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['version 00 with more fields', `${good}-more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a trace id that is short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['capitals', good.toUpperCase()],
  ['no flags', `00-${traceId}-${spanId}`],
  ['two of them', `${good}, ${good}`],
  ['16 KB', good + 'x'.repeat(16_000)],
])('%s starts a new trace', (_name, traceparent) => {
  expect(placeOfCaller({ traceparent })).toBeUndefined();
});

const member = (index: number, length = 1): string => `k${index}=${'v'.repeat(length)}`;

test.each([
  [
    'two members',
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
  ],
  ['32 members', members(32), members(32)],
  ['33 members', members(33), members(32)],
  ['512 characters', member(1, 509), null],
  ['513 characters', `${member(1, 200)},${member(2, 400)}`, member(1, 200)],
  ['invalid members', 'a=1,nonsense,B=2,c=3', 'a=1,c=3'],
  ['nothing', '', null],
])('tracestate of %s passes within the limits of W3C', (_name, tracestate, passed) => {
  const place = placeOfCaller({ traceparent: good, tracestate });
  if (place === undefined) throw new Error('the trace was not continued');
  const stored = toTraceContext({ ...place, traceFlags: TraceFlags.SAMPLED });
  expect(stored?.tracestate ?? null).toBe(passed);
});

function members(count: number): string {
  return Array.from({ length: count }, (_, index) => member(index)).join(',');
}

test('a span context is stored as headers, and read back unchanged', () => {
  const place = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  const stored = toTraceContext(place);
  expect(stored).toEqual({ traceparent: good });
  expect(spanContextOf(stored)).toMatchObject(place);
});

test.each([[null], [undefined], [{ traceparent: 'nonsense' }]])(
  '%s is no span context',
  (stored) => {
    expect(spanContextOf(stored)).toBeNull();
  },
);

test('an unrecorded trace is not stored', () => {
  expect(toTraceContext({ traceId, spanId, traceFlags: TraceFlags.NONE })).toBeNull();
});

const { RECORD_AND_SAMPLED: recorded, NOT_RECORD: dropped } = SamplingDecision;

interface New {
  share: number;
  drawn: number;
  links?: Link[];
  traceId?: string;
}

function sample({ share, drawn, links = [], traceId = 'a'.repeat(32) }: New): SamplingDecision {
  const sampler = new ShareSampler(share, () => drawn);
  const facts = [ROOT_CONTEXT, traceId, 'name', SpanKind.SERVER, {}, links] as const;
  return sampler.shouldSample(...facts).decision;
}

const linkTo = (traceFlags: TraceFlags): Link => ({
  context: { traceId: 'b'.repeat(32), spanId: 'c'.repeat(16), traceFlags },
});

test.each([
  [1, 0.999, recorded],
  [0.1, 0.0999, recorded],
  [0.1, 0.1, dropped],
  [0, 0, dropped],
])('with a share of %d, the random number %d leads to decision %d', (share, drawn, decision) => {
  expect(sample({ share, drawn })).toBe(decision);
});

test('the ID of a trace does not matter, because callers choose it', () => {
  for (const digit of ['0', 'f']) {
    const traceId = `${digit.repeat(31)}1`;
    expect(sample({ share: 0.5, drawn: 0.9, traceId })).toBe(dropped);
    expect(sample({ share: 0.5, drawn: 0.1, traceId })).toBe(recorded);
  }
});

test('a span linked to a recorded trace is recorded', () => {
  expect(sample({ share: 0.1, drawn: 0.9, links: [linkTo(TraceFlags.SAMPLED)] })).toBe(recorded);
  expect(sample({ share: 0.1, drawn: 0.9, links: [linkTo(TraceFlags.NONE)] })).toBe(dropped);
});

const spanAt = (traceId: string, spanId: string) => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});
const change = spanAt('trace-1', 'request');
const inside = spanAt('trace-1', 'activity');
const outside = spanAt('trace-2', 'activity');
const below = { ...change, spanId: 'activity' };

test.each([
  ['an early attempt', { ageMs: 0, active: null }, change, []],
  ['an attempt in an activity of its trace', { ageMs: 0, active: inside }, below, []],
  ['an attempt in an activity of several events', { ageMs: 0, active: outside }, change, [outside]],
  ['an attempt after exactly an hour', { ageMs: hourMs, active: null }, change, []],
  ['an attempt after more than an hour', { ageMs: hourMs + 1, active: null }, null, [change]],
  ['a late attempt in an activity', { ageMs: hourMs + 1, active: outside }, outside, [change]],
  ['a resend or replay', { ageMs: 0, active: null, isResent: true }, null, [change]],
  ['a change of the future, by another clock', { ageMs: -5_000, active: null }, change, []],
])('%s has its parent and links', (...row) => {
  const [, span, parent, linked] = row;
  expect(chooseParent({ change, isResent: false, ...span })).toEqual({ parent, linked });
});

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
  await traceStart({ workflowId: 'agent.created/evt_1', events, now }, async (traceparent) => {
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
