// Reading a caller's trace headers, and storing a span context.
import { propagation, trace, TraceFlags } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  contextOfCaller,
  spanContextOf,
  toTraceContext,
} from '../../../lib/telemetry/trace-context.ts';

beforeAll(() => new NodeTracerProvider().register({ contextManager: null }));
afterAll(() => {
  propagation.disable();
  trace.disable();
});

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
  ['a word', 'yes'],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['version 00 with more fields', `${good}-more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a trace id that is short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['a trace id that is long', `00-${traceId}0-${spanId}-01`],
  ['a span id that is short', `00-${traceId}-${spanId.slice(1)}-01`],
  ['capitals', good.toUpperCase()],
  ['letters beyond f', `00-${traceId.replace('a', 'g')}-${spanId}-01`],
  ['no flags', `00-${traceId}-${spanId}`],
  ['flags of one digit', `00-${traceId}-${spanId}-1`],
  ['two of them', `${good}, ${good}`],
  ['quotes', `"${good}"`],
  ['16 KB', good + 'x'.repeat(16_000)],
  ['many dashes', '-'.repeat(16_000)],
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
  ['32 members', list(32), list(32)],
  ['33 members', list(33), list(32)],
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

function list(count: number): string {
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
