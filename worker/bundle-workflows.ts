// The workflow bundle: built once for production (npm run build), or at start for development.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

// Beside this file it is TypeScript in development and JavaScript in dist.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const workflowsPath = fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url));

/** Gives the workflow code a worker runs: the prebuilt file when there is one, else built now. */
export async function loadWorkflowBundle(
  prebuiltPath: string | null,
): Promise<WorkflowBundleOption> {
  if (prebuiltPath !== null) return { codePath: prebuiltPath };
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

/** Builds the bundle and writes it to `path`. */
export async function writeWorkflowBundle(path: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
