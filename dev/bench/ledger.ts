import type { Arrival } from './receiver.ts';

interface CallRecord {
  /** Latencies start here, so that waiting behind other calls is included. */
  intendedAtMs: number;
  answeredAtMs: number | null;
  isAcknowledged: boolean;
  /** The webhooks that get the event, and those that accepted or refused it. */
  hookUids: ReadonlySet<string>;
  takenBy: Set<string>;
  refusedBy: Set<string>;
}

interface Receipt {
  hookUid: string;
  call: number;
  atMs: number;
}

/** The calls of one run, and the resulting deliveries. */
export class Ledger {
  /** Deliveries of the same event to the same webhook after the first accepted one. */
  duplicates = 0;
  /** Deliveries that a webhook refused before it accepted one. Each must arrive again. */
  refused = 0;
  /** Deliveries that webhooks accepted. */
  deliveries = 0;
  /** Calls that were not acknowledged, in total and by reason. */
  failed = 0;
  readonly failures: Record<string, number> = {};
  /** Events that all their webhooks accepted. */
  complete = 0;
  readonly #calls: CallRecord[] = [];
  readonly #receipts: Receipt[] = [];
  readonly #hookUidsOf: (call: number) => ReadonlySet<string>;
  #lastArrivalMs = 0;
  #waiters: (() => void)[] = [];

  constructor(hookUidsOf: (call: number) => ReadonlySet<string>) {
    this.#hookUidsOf = hookUidsOf;
  }

  /** Records a call that is about to be made, and returns its number. */
  open(intendedAtMs: number): number {
    const call = this.#calls.length;
    this.#calls.push({
      intendedAtMs,
      answeredAtMs: null,
      isAcknowledged: false,
      hookUids: this.#hookUidsOf(call),
      takenBy: new Set(),
      refusedBy: new Set(),
    });
    return call;
  }

  /** Records the end of a call. `failure` is null if it was acknowledged. */
  close(call: number, { atMs, failure }: { atMs: number; failure: string | null }): void {
    const record = this.#calls[call];
    if (record === undefined) return;
    record.answeredAtMs = atMs;
    record.isAcknowledged = failure === null;
    if (failure === null) return;
    this.failed += 1;
    this.failures[failure] = (this.failures[failure] ?? 0) + 1;
  }

  /** Records arrivals. Those of another run are ignored. */
  receive(arrivals: readonly Arrival[]): void {
    for (const arrival of arrivals) this.#receiveOne(arrival);
    for (const signal of this.#waiters.splice(0)) signal();
  }

  #receiveOne([hookUid, call, atMs, isRefused]: Arrival): void {
    const record = this.#calls[call];
    if (record === undefined || !record.hookUids.has(hookUid)) return;
    const { hookUids, takenBy, refusedBy } = record;
    if (takenBy.has(hookUid)) {
      this.duplicates += 1;
      return;
    }
    if (!refusedBy.has(hookUid)) this.#receipts.push({ hookUid, call, atMs });
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, atMs);
    if (isRefused) {
      refusedBy.add(hookUid);
      this.refused += 1;
      return;
    }
    takenBy.add(hookUid);
    this.deliveries += 1;
    if (takenBy.size === hookUids.size) this.complete += 1;
  }

  /** Resolves at the next arrival. */
  async arrival(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  get acknowledged(): number {
    return this.#calls.filter((record) => record.isAcknowledged).length;
  }

  /** The number of calls whose event has not been accepted everywhere, including unfinished ones. */
  get backlog(): number {
    return this.#calls.length - this.failed - this.complete;
  }

  /** Checks whether the event of a call has been accepted everywhere, or the call failed. */
  isSettled(call: number): boolean {
    const record = this.#calls[call];
    if (record === undefined) return true;
    if (record.answeredAtMs !== null && !record.isAcknowledged) return true;
    return record.isAcknowledged && record.takenBy.size === record.hookUids.size;
  }

  /** The number of deliveries of acknowledged calls that no webhook has accepted. */
  get missing(): number {
    let missing = 0;
    for (const { isAcknowledged, hookUids, takenBy } of this.#calls) {
      if (isAcknowledged) missing += hookUids.size - takenBy.size;
    }
    return missing;
  }

  /** The times from the intended call to its response, for acknowledged calls. */
  answerMs(): number[] {
    return this.#calls.flatMap(({ isAcknowledged, answeredAtMs, intendedAtMs }) =>
      isAcknowledged && answeredAtMs !== null ? [answeredAtMs - intendedAtMs] : [],
    );
  }

  /** The times from the intended call to the first arrival, even if refused, at each webhook that `includes` selects. */
  receiptMs(includes: (hookUid: string) => boolean = () => true): number[] {
    return this.#receipts
      .filter(({ hookUid }) => includes(hookUid))
      .map(({ call, atMs }) => atMs - (this.#calls[call]?.intendedAtMs ?? atMs));
  }

  /** From the first intended call to the last arrival, or to the last response if nothing arrives. */
  get spanMs(): number {
    const firstMs = this.#calls[0]?.intendedAtMs ?? 0;
    if (this.#lastArrivalMs > 0) return this.#lastArrivalMs - firstMs;
    const answers = this.#calls.map(({ answeredAtMs }) => answeredAtMs ?? firstMs);
    return answers.reduce((a, b) => Math.max(a, b), firstMs) - firstMs;
  }
}
