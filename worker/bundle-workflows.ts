import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker';

// Beside this file it is TypeScript in development and JavaScript in dist.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const workflowsPath = fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url));

/** Returns the prebuilt bundle of `npm run build` where there is one, else builds it now. */
export async function loadWorkflowBundle(
  prebuiltPath: string | null,
): Promise<WorkflowBundleOption> {
  return prebuiltPath === null ? bundleWorkflows() : { codePath: prebuiltPath };
}

export async function writeWorkflowBundle(path: string): Promise<void> {
  const { code } = await bundleWorkflows();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}

/** Workflows share their modules, which are evaluated once a process: none of them may keep a state. */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('ERROR'),
  });
}
