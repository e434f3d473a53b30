// The spans that join the trace of their change.
import { TraceFlags } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { chooseParent } from '../../../lib/telemetry/span-parent.ts';
import { hourMs } from '../../../lib/platform/duration.ts';

const at = (traceId: string, spanId: string) => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});
const change = at('trace-1', 'request');
const inside = at('trace-1', 'activity');
const outside = at('trace-2', 'activity');
const below = { ...change, spanId: 'activity' };

test.each([
  { name: 'an early attempt', ageMs: 0, isResent: false, active: null, parent: change, linked: [] },
  {
    name: 'an attempt in an activity of its trace',
    ageMs: 0,
    isResent: false,
    active: inside,
    parent: below,
    linked: [],
  },
  {
    name: 'an attempt in an activity of several events',
    ageMs: 0,
    isResent: false,
    active: outside,
    parent: change,
    linked: [outside],
  },
  {
    name: 'an attempt after exactly an hour',
    ageMs: hourMs,
    isResent: false,
    active: null,
    parent: change,
    linked: [],
  },
  {
    name: 'an attempt after more than an hour',
    ageMs: hourMs + 1,
    isResent: false,
    active: null,
    parent: null,
    linked: [change],
  },
  {
    name: 'a late attempt in an activity',
    ageMs: hourMs + 1,
    isResent: false,
    active: outside,
    parent: outside,
    linked: [change],
  },
  {
    name: 'an immediate resend or replay',
    ageMs: 0,
    isResent: true,
    active: null,
    parent: null,
    linked: [change],
  },
  {
    name: 'a change of the future, by another clock',
    ageMs: -5_000,
    isResent: false,
    active: null,
    parent: change,
    linked: [],
  },
])('$name has its parent and links', ({ parent, linked, ...span }) => {
  expect(chooseParent({ change, ...span })).toEqual({ parent, linked });
});
