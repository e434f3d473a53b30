// Finds the real servers for these tests, and installs them into the project's cache the first time.
import { findBinaries } from '../../../dev/servers/find-binary.ts';

/** Ignores the progress of installs, to keep it out of the test output. */
export function quiet(): void {}

/** Returns the paths of the three servers. */
export function foundServers() {
  return findBinaries(['mongod', 'temporal', 'temporal-test-server'], { progress: quiet });
}
