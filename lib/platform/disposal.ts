/** Closes resources in reverse order, even if one fails. Replaces AsyncDisposableStack, which Node 20 lacks. */
export class Disposal implements AsyncDisposable {
  readonly #closers: (() => PromiseLike<void>)[] = [];

  use<T extends AsyncDisposable>(resource: T): T {
    this.#closers.push(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  defer(close: () => PromiseLike<void>): void {
    this.#closers.push(close);
  }

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
