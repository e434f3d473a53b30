// Ten times the kills of `npm test`.
import '../faults/killed-processes.test.ts';
