/** Closes resources in reverse order, each even if another fails: AsyncDisposableStack, which Node 20 lacks. */
export class Disposal implements AsyncDisposable {
  readonly #closers: (() => PromiseLike<void>)[] = [];

  /** Returns `resource`, which is closed at the end. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.#closers.push(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  defer(close: () => PromiseLike<void>): void {
    this.#closers.push(close);
  }

  /** Throws the first failure after all have been closed. */
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
