import type { Arrival } from './receiver.ts';

interface CallRecord {
  /** Latencies count from here, so that waiting behind other calls shows. */
  intendedAtMs: number;
  answeredAtMs: number | null;
  isAcknowledged: boolean;
  hookUids: Set<string>;
}

interface Receipt {
  hookUid: string;
  call: number;
  atMs: number;
}

/** The calls of one run, and the deliveries they caused at `hookUids`. */
export class Ledger {
  /** Deliveries of the same event to the same webhook beyond the first. */
  duplicates = 0;
  /** Calls that were not acknowledged, in all and by reason. */
  failed = 0;
  readonly failures: Record<string, number> = {};
  /** Events that arrived at all their webhooks. */
  complete = 0;
  readonly #calls: CallRecord[] = [];
  readonly #receipts: Receipt[] = [];
  readonly #hookUids: ReadonlySet<string>;
  #waiters: (() => void)[] = [];

  constructor(hookUids: readonly string[]) {
    this.#hookUids = new Set(hookUids);
  }

  /** Records a call about to be made, and returns its number. */
  open(intendedAtMs: number): number {
    const hookUids = new Set<string>();
    const record = { intendedAtMs, answeredAtMs: null, isAcknowledged: false, hookUids };
    return this.#calls.push(record) - 1;
  }

  /** Records the end of a call; `failure` is null where it was acknowledged. */
  close(call: number, { atMs, failure }: { atMs: number; failure: string | null }): void {
    const record = this.#calls[call];
    if (record === undefined) return;
    record.answeredAtMs = atMs;
    record.isAcknowledged = failure === null;
    if (failure === null) return;
    this.failed += 1;
    this.failures[failure] = (this.failures[failure] ?? 0) + 1;
  }

  /** Records arrivals; those of another run are ignored. */
  receive(arrivals: readonly Arrival[]): void {
    for (const [hookUid, call, atMs] of arrivals) {
      const record = this.#calls[call];
      if (record === undefined || !this.#hookUids.has(hookUid)) continue;
      if (record.hookUids.has(hookUid)) {
        this.duplicates += 1;
        continue;
      }
      record.hookUids.add(hookUid);
      this.#receipts.push({ hookUid, call, atMs });
      if (record.hookUids.size === this.#hookUids.size) this.complete += 1;
    }
    for (const signal of this.#waiters.splice(0)) signal();
  }

  /** Resolves when more arrived. */
  async arrival(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  get acknowledged(): number {
    return this.#calls.filter((record) => record.isAcknowledged).length;
  }

  get deliveries(): number {
    return this.#receipts.length;
  }

  /** Calls whose event has not arrived everywhere, unanswered ones included. */
  get backlog(): number {
    return this.#calls.length - this.failed - this.complete;
  }

  /** Reports whether the event of a call has arrived everywhere, or the call failed. */
  isSettled(call: number): boolean {
    const record = this.#calls[call];
    if (record === undefined) return true;
    if (record.answeredAtMs !== null && !record.isAcknowledged) return true;
    return record.isAcknowledged && record.hookUids.size === this.#hookUids.size;
  }

  /** Deliveries of acknowledged calls that have not arrived. */
  get missing(): number {
    let missing = 0;
    for (const { isAcknowledged, hookUids } of this.#calls) {
      if (isAcknowledged) missing += this.#hookUids.size - hookUids.size;
    }
    return missing;
  }

  /** From the intended call to its answer, of the acknowledged calls. */
  answerMs(): number[] {
    return this.#calls.flatMap(({ isAcknowledged, answeredAtMs, intendedAtMs }) =>
      isAcknowledged && answeredAtMs !== null ? [answeredAtMs - intendedAtMs] : [],
    );
  }

  /** From the intended call to the first arrival at each webhook that `includes` lets through. */
  receiptMs(includes: (hookUid: string) => boolean = () => true): number[] {
    return this.#receipts
      .filter(({ hookUid }) => includes(hookUid))
      .map(({ call, atMs }) => atMs - (this.#calls[call]?.intendedAtMs ?? atMs));
  }

  /** From the first intended call to the last arrival, or to the last answer where nothing arrives. */
  get spanMs(): number {
    const firstMs = this.#calls[0]?.intendedAtMs ?? 0;
    const ends = this.#receipts.map(({ atMs }) => atMs);
    const answers = this.#calls.map(({ answeredAtMs }) => answeredAtMs ?? firstMs);
    const last = (ends.length > 0 ? ends : answers).reduce((a, b) => Math.max(a, b), firstMs);
    return last - firstMs;
  }
}
