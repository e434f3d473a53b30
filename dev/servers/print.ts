export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Does the work, and prints how long it took. */
export async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  print(`${what} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}
