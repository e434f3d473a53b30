import { TraceFlags } from '@opentelemetry/api';
import { type Sampler, SamplingDecision, type SamplingResult } from '@opentelemetry/sdk-trace-node';

const recorded: SamplingResult = { decision: SamplingDecision.RECORD_AND_SAMPLED };
const dropped: SamplingResult = { decision: SamplingDecision.NOT_RECORD };

/** Records a random share of new traces, whatever ID the caller chose, and spans linked to a recorded trace. */
export class ShareSampler implements Sampler {
  readonly #share: number;
  readonly #random: () => number;

  constructor(share: number, random: () => number = Math.random) {
    this.#share = share;
    this.#random = random;
  }

  shouldSample(...[, , , , , links]: Parameters<Sampler['shouldSample']>): SamplingResult {
    const isLinked = links.some(({ context }) => (context.traceFlags & TraceFlags.SAMPLED) !== 0);
    return isLinked || this.#random() < this.#share ? recorded : dropped;
  }

  toString(): string {
    return `ShareSampler(${this.#share})`;
  }
}
