// The length of a long test: a tenth in `npm test`, all of it in `npm run test:soak`.

const whole = 20;

/** Returns how many of the repetitions of a full soak to run; `HERALD_SOAK_SEEDS=2` runs 2 of 20. */
export function soakShare(repetitions: number): number {
  const isSoak = process.env['HERALD_TEST_SUITE'] === 'soak';
  const share = isSoak ? Number(process.env['HERALD_SOAK_SEEDS'] || whole) / whole : 0.1;
  return Math.ceil(repetitions * share);
}
