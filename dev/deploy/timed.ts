/** Does the work, and prints how long it took. */
export async function timed<Result>(
  say: (line: string) => void,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  say(`${what} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}
