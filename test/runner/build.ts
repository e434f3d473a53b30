// The compiled service, for tests that run it as processes of its own.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../dev/servers/run-program.ts';
import { writeWorkflowBundle } from '../../worker/bundle-workflows.ts';

const timeoutMs = 120_000;

export interface Build {
  /** The compiled `api/`, `worker/` and `cli/`. */
  folder: string;
  bundle: string;
}

/** Builds the sources in a folder into a folder of the repository, where the compiled code finds its packages. */
export async function buildService(parent: string, source = '.'): Promise<Build> {
  const built = { folder: join(parent, 'dist'), bundle: join(parent, 'workflow-bundle.js') };
  await Promise.all([writeWorkflowBundle(built.bundle), compile(source, built.folder)]);
  return built;
}

/** Compiles the service as `npm run build` does, types unchecked, so that its processes start sooner. */
async function compile(source: string, path: string): Promise<void> {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--project', join(source, 'tsconfig.build.json'), '--noCheck', '--outDir', path];
  await runProgram(process.execPath, [tsc, ...flags], { timeoutMs });
  const pages = join('console', 'dist');
  await runProgram(process.execPath, [join('console', 'build.mjs'), pages], { timeoutMs });
  await cp(pages, join(path, pages), { recursive: true });
  for (const name of ['migration.md', 'openapi.json', 'reference']) {
    await cp(join('docs', name), join(path, 'docs', name), { recursive: true });
  }
}
