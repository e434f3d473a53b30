// The kills of `npm test`, ten times as many.
import '../faults/killed-processes.test.ts';
