// The length of a long test: a tenth in `npm test`, all of it in `npm run test:soak`.
import { soakSeeds } from './seeded-random.ts';

const defaultSeeds = 20;

/** Returns how many of the `whole` repetitions of a full soak to run. Fewer seeds mean fewer repetitions. */
export function soakShare(whole: number): number {
  const isSoak = process.env['HERALD_TEST_SUITE'] === 'soak';
  const share = isSoak ? soakSeeds(defaultSeeds).length / defaultSeeds : 0.1;
  return Math.ceil(whole * share);
}
