// Finds the real servers for these tests, installing them into the project's cache the first time.
import { findBinaries } from '../../../dev/servers/find-binary.ts';

/** Keeps what servers report out of the test output. */
export function quiet(): void {}

/** Gives the paths of the three servers. */
export function foundServers() {
  return findBinaries(['mongod', 'temporal', 'temporal-test-server'], { progress: quiet });
}
