// The kinds of instruments. They record nothing until a meter is connected.
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';

interface InstrumentFacts<Attribute extends string> {
  name: string;
  /** A UCUM unit: `s`, `By`, `1`, or the counted thing in braces. */
  unit: string;
  description: string;
  /** Descriptions by attribute. */
  attributes: Readonly<Record<Attribute, string>>;
}

type AttributesOf<Attribute extends string> = {
  readonly [name in Attribute]?: string | number;
};

export class Counter<Attribute extends string> {
  readonly kind = 'counter';
  readonly facts: InstrumentFacts<Attribute>;
  readonly #zeros: readonly AttributesOf<Attribute>[];
  #add: ((count: number, attributes: Attributes) => void) | null = null;

  /** `zeros` are reported from the start, because a rate does not see the first value of a series. */
  constructor({
    zeros = [],
    ...facts
  }: InstrumentFacts<Attribute> & { zeros?: readonly AttributesOf<Attribute>[] }) {
    this.facts = facts;
    this.#zeros = zeros;
  }

  connect(meter: Meter | null): void {
    const { name, unit, description } = this.facts;
    const counter = meter?.createCounter(name, { unit, description });
    this.#add = counter === undefined ? null : (count, of) => counter.add(count, of);
    for (const attributes of this.#zeros) this.add(0, attributes);
  }

  add(count: number, attributes: AttributesOf<Attribute>): void {
    this.#add?.(count, attributes);
  }
}

export class Histogram<Attribute extends string> {
  readonly kind = 'histogram';
  readonly facts: InstrumentFacts<Attribute>;
  readonly buckets: readonly number[];
  #record: ((value: number, attributes: Attributes) => void) | null = null;

  constructor(facts: InstrumentFacts<Attribute> & { buckets: readonly number[] }) {
    const { buckets, ...rest } = facts;
    this.facts = rest;
    this.buckets = buckets;
  }

  connect(meter: Meter | null): void {
    const { name, unit, description } = this.facts;
    const advice = { explicitBucketBoundaries: [...this.buckets] };
    const histogram = meter?.createHistogram(name, { unit, description, advice });
    this.#record = histogram === undefined ? null : (value, of) => histogram.record(value, of);
  }

  record(value: number, attributes: AttributesOf<Attribute>): void {
    this.#record?.(value, attributes);
  }
}

type Report<Attribute extends string> = (
  value: number,
  attributes: AttributesOf<Attribute>,
) => void;
type Read<Attribute extends string> = (report: Report<Attribute>) => void;

export class Gauge<Attribute extends string> {
  readonly kind = 'gauge';
  readonly facts: InstrumentFacts<Attribute>;
  readonly #reads = new Set<Read<Attribute>>();

  constructor(facts: InstrumentFacts<Attribute>) {
    this.facts = facts;
  }

  connect(meter: Meter | null): void {
    const { name, unit, description } = this.facts;
    meter?.createObservableGauge(name, { unit, description }).addCallback((result) => {
      for (const read of this.#reads) read(reportTo(result));
    });
  }

  /** Calls `read` at each collection, until the returned function is called. */
  observe(read: Read<Attribute>): () => void {
    this.#reads.add(read);
    return () => this.#reads.delete(read);
  }
}

function reportTo<Attribute extends string>(result: ObservableResult): Report<Attribute> {
  return (value, attributes) => result.observe(value, attributes);
}
