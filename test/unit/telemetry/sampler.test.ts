// The new traces that are recorded.
import { type Link, ROOT_CONTEXT, SpanKind, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { ShareSampler } from '../../../lib/telemetry/sampler.ts';

const { RECORD_AND_SAMPLED: recorded, NOT_RECORD: dropped } = SamplingDecision;

interface New {
  share: number;
  drawn: number;
  links?: Link[];
  traceId?: string;
}

function decide({ share, drawn, links = [], traceId = 'a'.repeat(32) }: New): SamplingDecision {
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
  expect(decide({ share, drawn })).toBe(decision);
});

test('the ID of a trace does not matter, because callers choose it', () => {
  for (const digit of ['0', 'f']) {
    const traceId = `${digit.repeat(31)}1`;
    expect(decide({ share: 0.5, drawn: 0.9, traceId })).toBe(dropped);
    expect(decide({ share: 0.5, drawn: 0.1, traceId })).toBe(recorded);
  }
});

test('a span linked to a recorded trace is recorded', () => {
  expect(decide({ share: 0.1, drawn: 0.9, links: [linkTo(TraceFlags.SAMPLED)] })).toBe(recorded);
  expect(decide({ share: 0.1, drawn: 0.9, links: [linkTo(TraceFlags.NONE)] })).toBe(dropped);
});
