// Begins with the files that wait most, so that none of them is left alone at the end.
import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

export default class LongestFirst extends Sequencer {
  sort(tests) {
    // By their last duration or their size.
    const sorted = super.sort(tests);
    const waits = ({ path }) => /test\/(e2e|replay|contract)\/|\/sync-model/.test(path);
    return [...sorted.filter(waits), ...sorted.filter((test) => !waits(test))];
  }
}
