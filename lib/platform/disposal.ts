// Closes what a process opened, in reverse order (AsyncDisposableStack is not in Node 20).

/** Gathers what has to be closed and closes it, the last opened first, each even if another fails. */
export class Disposal implements AsyncDisposable {
  readonly #closers: (() => PromiseLike<void>)[] = [];

  /** Takes charge of closing `resource`, and gives it back. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.#closers.push(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  /** Has `close` called at the end. */
  defer(close: () => PromiseLike<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything. Throws the first failure after all have been tried. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
