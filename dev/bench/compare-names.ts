interface Picked {
  /** To be run by both. */
  names: string[];
  /** A sentence for each that only one checkout has. */
  notes: string[];
}

/** Returns the names of the scenarios that the `--help` of a bench lists. */
export function readNames(help: string): string[] {
  return [...help.matchAll(/^ {2}[* ] ([a-z][a-z-]*) {2}/gm)].map(([, name = '']) => name);
}

/** Picks what both checkouts have of the asked names. Throws an error of one sentence where nothing is left. */
export function pickShared(
  asked: readonly string[],
  { a, b }: { a: readonly string[]; b: readonly string[] },
): Picked {
  const names = asked.includes('all') ? [...new Set([...a, ...b])] : asked;
  const unknown = names.find((name) => !a.includes(name) && !b.includes(name));
  if (unknown !== undefined) throw new Error(`neither checkout has a scenario ${unknown}`);
  const shared = names.filter((name) => a.includes(name) && b.includes(name));
  if (shared.length === 0)
    throw new Error(`no scenario of ${names.join(', ')} is in both checkouts`);
  const notes = names
    .filter((name) => !shared.includes(name))
    .map((name) => `Only ${a.includes(name) ? 'A' : 'B'} has the scenario ${name}: not compared.`);
  return { names: shared, notes };
}
