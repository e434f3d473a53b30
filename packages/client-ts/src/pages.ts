export interface Page<Item> {
  readonly data: readonly Item[];
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
}

/** A list. `for await` iterates over all items and requests each page when it is needed. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: (cursor: string | null) => Promise<Page<Item>>;

  constructor(fetchPage: (cursor: string | null) => Promise<Page<Item>>) {
    this.#fetchPage = fetchPage;
  }

  /** Returns a single page: the first, or the one at the `cursor` of the call. */
  page(): Promise<Page<Item>> {
    return this.#fetchPage(null);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let cursor: string | null = null;
    do {
      const page: Page<Item> = await this.#fetchPage(cursor);
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
