import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker';

// The workflows are TypeScript in development and JavaScript in dist, like this file.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const workflowsPath = fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url));

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

/** Workflows share their modules, which are evaluated once per process: modules must not keep state. */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    logger: new DefaultLogger('ERROR'),
  });
}
