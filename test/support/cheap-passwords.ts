// Before each file: passwords are hashed in 10 ms instead of 300. `sign-in.test` and the admin command see the real cost.
import { currentCost } from '../../lib/access/password.ts';

currentCost.log2N = 12;
