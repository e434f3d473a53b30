// Takes the steps of the Dockerfile in folders, without Docker.
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';
import { type Copy, parseDockerfile, type Stage } from './dockerfile.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stepTimeoutMs = 10 * 60_000;

export interface BuiltImage {
  /** What is in /app. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Builds into folders of `folder`. Packages of the operating system are left out. Throws when a step fails. */
export async function buildImage(
  folder: string,
  progress: (line: string) => void,
): Promise<BuiltImage> {
  const context = join(folder, 'context');
  await sendContext(context);
  const stages = parseDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'));
  const folderOf = (name: string | null): string => join(folder, `stage-${name ?? 'last'}`);
  for (const { name, steps } of stages) {
    const place = folderOf(name);
    await mkdir(place, { recursive: true });
    for (const step of steps) {
      if (step.kind === 'copy') {
        const from = step.from === null ? context : folderOf(step.from);
        await copy(
          { ...step, sources: step.sources.map((source) => source.replace('/app/', '')) },
          [from, place],
        );
      } else if (!step.command.startsWith('apt-get')) {
        progress(`image: ${step.command}`);
        await runProgram('sh', ['-c', `cd '${place}' && ${step.command}`], {
          timeoutMs: stepTimeoutMs,
        });
      }
    }
  }
  const last = lastOf(stages);
  const place = folderOf(last.name);
  const env = Object.entries(last.env).map(([name, value]) => [name, value.replace('/app', place)]);
  return {
    folder: place,
    env: Object.fromEntries(env) as BuiltImage['env'],
    command: last.command,
  };
}

function lastOf(stages: readonly Stage[]): Stage {
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  return last;
}

/** Copies what .dockerignore lets through; of two of its lines the later one wins. */
async function sendContext(context: string): Promise<void> {
  await mkdir(context);
  const ignore = await readFile(join(root, '.dockerignore'), 'utf8');
  for (const line of ignore.split('\n')) {
    const path = line.replace('!', '');
    if (line.startsWith('!')) await cp(join(root, path), join(context, path), { recursive: true });
    else if (/^[^#*]/.test(line)) await rm(join(context, path), { recursive: true, force: true });
  }
}

async function copy({ sources, target }: Copy, [from, to]: [string, string]): Promise<void> {
  for (const source of sources) {
    const isInto = target.endsWith('/');
    const path = join(from, source);
    // Of a folder its content is copied.
    const named = isInto && !(await stat(path)).isDirectory() ? basename(source) : '';
    const options = { recursive: true, verbatimSymlinks: true };
    await cp(path, join(to, target, named), options);
  }
}
