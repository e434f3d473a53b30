/** Shares of the first, such as 0.02. */
export interface Difference {
  share: number;
  /** Of the share, from how the pairs differ. */
  standardError: number;
}

/** Returns by how much the second of each pair is more than the first, on average. */
export function differBy(first: readonly number[], second: readonly number[]): Difference {
  const differences = first.map((value, index) => (second[index] ?? Number.NaN) - value);
  const mean = meanOf(differences);
  const squares = differences.map((difference) => (difference - mean) ** 2);
  const variance = meanOf(squares) / (differences.length - 1);
  const base = meanOf(first);
  return { share: mean / base, standardError: Math.sqrt(variance) / base };
}

/** Reports whether a share is more than `max` by two standard errors: then hardly by chance. */
export function isBeyond({ share, standardError }: Difference, max: number): boolean {
  return share - 2 * standardError > max;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
