// A file of tests runs in the realm of its worker process, so that the modules it imports are loaded once
// for all files of the worker. Jest's own environments make a realm for each file.
import { createRequire } from 'node:module';

// Of the versions that Jest itself uses.
const require = createRequire(createRequire(import.meta.url).resolve('jest-environment-node'));
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Where jest-circus keeps the tests of a file, and what they set. */
const symbolsOfFile = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'RETRY_TIMES']);

const pick = (object, names) => Object.fromEntries(names.map((name) => [name, object[name]]));

// Or a worker process would go on with its file after Jest was killed.
const exit = () => process.exit(1);
process.once('disconnect', exit);
// Jest lets a worker end by no longer listening to it. The other listener would keep the process.
process.on('removeListener', (name) => {
  if (name === 'message') process.off('disconnect', exit);
});

export default class SharedRealm {
  // What Jest itself adds for a file. Without `process`, or Jest wraps `process.exit` once a file.
  global = Object.create(globalThis, { process: { value: undefined } });
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimersModern;
  fakeTimers = null;
  #stacks = pick(Error, ['prepareStackTrace', 'stackTraceLimit']);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    globalThis.jest = this.#jest();
  }

  /** The object `jest` of the tests: spies, fake timers, and retries of a file's tests. */
  #jest() {
    const { moduleMocker: mocks, fakeTimersModern: timers } = this;
    const methodsOf = (object, names) =>
      Object.fromEntries(names.map((name) => [name, object[name].bind(object)]));
    return {
      ...methodsOf(mocks, ['fn', 'spyOn', 'mocked', 'replaceProperty', 'restoreAllMocks']),
      ...methodsOf(timers, [
        'useFakeTimers',
        'useRealTimers',
        'setSystemTime',
        'advanceTimersByTime',
        'advanceTimersByTimeAsync',
        'runAllTimersAsync',
        'getTimerCount',
      ]),
      retryTimes: (times) => {
        globalThis[Symbol.for('RETRY_TIMES')] = times;
      },
    };
  }

  /** Shows what failed in a test, not what then failed while it was closed: Jest prints neither of the two. */
  handleTestEvent({ name, test }) {
    if (name !== 'test_done') return;
    test.errors = test.errors.map(([error, ...rest]) => [error?.suppressed ?? error, ...rest]);
  }

  async setup() {
    // Jest maps stacks by the sources that it transforms; here tsx does both.
    Object.assign(Error, this.#stacks);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (symbolsOfFile.has(symbol.description)) delete globalThis[symbol];
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
