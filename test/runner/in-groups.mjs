// Runs groups of files one after another, each with its number of worker processes.
import { createRequire } from 'node:module';

const { default: TestRunner } = createRequire(import.meta.url)('jest-runner');

/**
 * A runner for Jest. The groups are `globals.groups` of its configuration: their number of processes, the ends of
 * their paths, or of those that are not theirs, and whether each file has a process of its own.
 */
export default class InGroups extends TestRunner {
  async runTests(tests, watcher) {
    const groups = tests[0]?.context.config.globals.groups ?? [];
    const whole = this._globalConfig;
    for (const group of groups) {
      const chosen = tests.filter((test) => isOf(group, test));
      const parts = group.processPerFile ? chosen.map((test) => [test]) : [chosen];
      this._globalConfig = { ...whole, maxWorkers: group.maxWorkers };
      for (const part of parts) {
        if (part.length > 0) await super.runTests(part, watcher, { serial: false });
      }
    }
  }
}

function isOf({ paths, except = [] }, { path }) {
  const isOne = (ends) => ends.some((end) => path.endsWith(end));
  return (paths === undefined || isOne(paths)) && !isOne(except);
}
