// How Jest loads a file of tests: as Node does, in the process that is there. See environment.mjs.
const { pathToFileURL } = require('node:url');

module.exports = class NodeRuntime {
  #testPath;

  constructor(...given) {
    this.#testPath = given[6];
  }

  /** jest-circus keeps the tests of one file in its modules: each file loads it anew. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Set-up files run again for each file of tests. */
  async unstable_importModule(path) {
    const url = pathToFileURL(path);
    if (path !== this.#testPath) url.searchParams.set('for', this.#testPath);
    return import(url.href);
  }

  setGlobalsForRuntime(globals) {
    Object.assign(globalThis, globals);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  restoreAllMocks() {}
  teardown() {}
};
