// A process of the world that is started again whenever it ends, until it is no longer wanted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../../dev/servers/cluster/member.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Span } from './history.ts';

const failedStartWaitMs = 200;
const readyWithinMs = 120_000;

export class KeptProcess {
  readonly member: Member;
  /** When it ended by itself, until it was ready again. */
  readonly deaths: Span[] = [];
  readonly #progress: (line: string) => void;
  #isWanted = false;
  #isReady = false;
  #diedMs: number | null = null;
  #watching: Promise<void> = Promise.resolve();

  constructor(member: Member, progress: (line: string) => void) {
    this.member = member;
    this.#progress = progress;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts it, unless it runs already, and waits until it is ready. */
  async begin(): Promise<this> {
    this.#isWanted = true;
    this.#isReady = this.member.pid !== null;
    this.#watching = this.#watch();
    await this.ready();
    return this;
  }

  async ready(): Promise<void> {
    const what = `the start of ${this.member.name}`;
    await waitFor(() => this.#isReady, { timeoutMs: readyWithinMs, what });
  }

  /** Ends it and waits until it is ready again. */
  async restart(how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.ready();
    this.#isReady = false;
    await this.member.signal(how);
    await this.ready();
  }

  /** Ends it for good. */
  async end(how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isWanted = false;
    this.#isReady = false;
    if (this.member.pid !== null) await this.member.signal(how);
    await this.#watching;
    // It may have been started again meanwhile.
    await this.member[Symbol.asyncDispose]();
  }

  async #watch(): Promise<void> {
    while (this.#isWanted) {
      if (!this.#isReady) await this.#start();
      await this.member.exited();
      if (this.#isReady) {
        this.#diedMs = Date.now();
        this.#progress(`${this.member.name} ended by itself`);
      }
      this.#isReady = false;
    }
  }

  async #start(): Promise<void> {
    try {
      await this.member.start();
      this.#isReady = true;
      if (this.#diedMs !== null) this.deaths.push({ startMs: this.#diedMs, endMs: Date.now() });
      this.#diedMs = null;
    } catch (error) {
      const [reason] = String(error).split('\n');
      this.#progress(reason ?? '');
      await sleep(failedStartWaitMs);
    }
  }
}
