import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

// Beside this file it is TypeScript in development and JavaScript in dist.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const workflowsPath = fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url));

/** Returns the prebuilt bundle of `npm run build` where there is one, else builds it now. */
export async function loadWorkflowBundle(
  prebuiltPath: string | null,
): Promise<WorkflowBundleOption> {
  if (prebuiltPath !== null) return { codePath: prebuiltPath };
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

export async function writeWorkflowBundle(path: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
