import type { Priority } from '@temporalio/common';

/** Makes Temporal serve the applications in a task queue in turn (`matching.enableFairness`). */
export function fairPriority(appUid: string): { priority: Priority } {
  return { priority: { fairnessKey: appUid } };
}
