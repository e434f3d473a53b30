// Runs before each file: hashing takes 10 ms instead of 300. `sign-in.test` and the admin command use the real cost.
// real cost.
import { currentCost } from '../../lib/access/password.ts';

currentCost.log2N = 12;
