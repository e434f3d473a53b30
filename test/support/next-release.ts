import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Writes the workflow bundle of a future release, whose workflows have one more step. */
export async function writeNextBundle(path: string): Promise<void> {
  const folder = new URL('../faults/next-release/', import.meta.url);
  const workflowsPath = fileURLToPath(new URL('workflows.ts', folder));
  const logger = new DefaultLogger('ERROR');
  const preloadModules = [workflowsPath];
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger });
  await writeFile(path, code);
}
