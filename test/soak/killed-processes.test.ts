// The kills of `npm test`, ten times as many.
import '../e2e/killed-processes.test.ts';
