// How much of a long test runs where: a tenth in `npm test`, all of it in `npm run test:soak`.
import { soakSeeds } from '../soak/seeded-random.ts';

const defaultSeeds = 20;

/** Gives how often something is done that a whole soak does `whole` times; fewer seeds mean fewer times. */
export function soakShare(whole: number): number {
  const isSoak = process.env['HERALD_TEST_SOAK'] === 'true';
  const share = isSoak ? soakSeeds(defaultSeeds).length / defaultSeeds : 0.1;
  return Math.ceil(whole * share);
}
