/** Calls `work` with each item, at most `limit` calls at a time. Rejects with the first error. */
export async function forEachLimit<Item>(
  items: readonly Item[],
  countMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // All loops share one iterator.
  const rest = items.values();
  const takeNext = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: countMax }, takeNext));
}
