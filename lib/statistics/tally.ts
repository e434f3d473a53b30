import { statisticsLimits } from '../limits.ts';
import type { Counts } from '../model/statistics.ts';
import {
  addFact,
  type CountedDelivery,
  emptyCounts,
  factsOf,
  ownersOf,
} from './count-deliveries.ts';
import { beginningOf } from './intervals.ts';

export interface Span {
  start: Date;
  end: Date;
}

export interface Tallied {
  appUid: string;
  owner: string;
  minuteMs: number;
  counts: Counts;
}

/** Whole minutes that are counted in one transaction. */
export interface Part extends Span {
  counted: Tallied[];
}

/** The counts of a span by minute, in memory: if there are too many, the span is shortened at its end. */
export class Tally {
  readonly #startMs: number;
  #endMs: number;
  readonly #countMax: number;
  readonly #minutes = new Map<number, Map<string, Tallied>>();
  #count = 0;

  constructor({ start, end }: Span, countMax: number = statisticsLimits.talliedTogetherMax) {
    this.#startMs = start.getTime();
    this.#endMs = end.getTime();
    this.#countMax = countMax;
  }

  add(delivery: CountedDelivery): void {
    for (const fact of factsOf(delivery)) {
      if (fact.atMs < this.#startMs || fact.atMs >= this.#endMs) continue;
      for (const owner of ownersOf(delivery)) {
        addFact(this.#countsOf(delivery.appUid, owner, beginningOf('minute', fact.atMs)), fact);
      }
    }
    while (this.#count > this.#countMax && this.#minutes.size > 1) this.#dropLast();
  }

  /** Returns consecutive parts of up to `countMax` counts, but at least one minute each. */
  parts(countMax: number): Part[] {
    const parts: Part[] = [];
    let part: Part = { start: new Date(this.#startMs), end: new Date(this.#endMs), counted: [] };
    for (const [minuteMs, minute] of [...this.#minutes].sort(([a], [b]) => a - b)) {
      if (part.counted.length > 0 && part.counted.length + minute.size > countMax) {
        const start = new Date(minuteMs);
        parts.push({ ...part, end: start });
        part = { ...part, start, counted: [] };
      }
      part.counted.push(...minute.values());
    }
    return [...parts, part];
  }

  #countsOf(appUid: string, owner: string, minuteMs: number): Counts {
    const minute = this.#minutes.get(minuteMs) ?? new Map<string, Tallied>();
    this.#minutes.set(minuteMs, minute);
    const known = minute.get(owner);
    if (known !== undefined) return known.counts;
    const counts = emptyCounts();
    minute.set(owner, { appUid, owner, minuteMs, counts });
    this.#count += 1;
    return counts;
  }

  #dropLast(): void {
    this.#endMs = Math.max(...this.#minutes.keys());
    this.#count -= this.#minutes.get(this.#endMs)?.size ?? 0;
    this.#minutes.delete(this.#endMs);
  }
}
