// Executes the steps of the Dockerfile in folders, without Docker.
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stepTimeoutMs = 10 * 60_000;

export interface BuiltImage {
  /** The content of /app. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Builds into folders below `folder`. Packages of the operating system are skipped. Throws if a step fails. */
export async function buildImage(
  folder: string,
  progress: (line: string) => void,
): Promise<BuiltImage> {
  const context = join(folder, 'context');
  await sendContext(context);
  const stageOf = (name: string): string => join(folder, `stage-${name}`);
  let stage = '';
  let env: Record<string, string> = {};
  for (const [word, rest] of await readInstructions()) {
    if (word === 'FROM') {
      stage = stageOf(/ AS (\w+)$/.exec(rest)?.[1] ?? 'last');
      env = {};
      await mkdir(stage);
    } else if (word === 'COPY') {
      const [, from, paths = rest] = /^--from=(\w+) (.*)$/.exec(rest) ?? [];
      await copy(
        paths.replaceAll('/app/', ''),
        from === undefined ? context : stageOf(from),
        stage,
      );
    } else if (word === 'RUN' && !rest.startsWith('apt-get')) {
      progress(`image: ${rest}`);
      const command = `cd '${stage}' && ${rest}`;
      await runProgram('sh', ['-c', command], { timeoutMs: stepTimeoutMs });
    } else if (word === 'ENV') {
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g))
        env[name] = value.replace('/app', stage);
    }
  }
  return { folder: stage, env };
}

/** Returns the instructions of the Dockerfile, each with its arguments on one line. */
async function readInstructions(): Promise<[word: string, rest: string][]> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8');
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, word = '', rest = '']) => [word, rest]);
}

/** Copies the files that .dockerignore allows. Of two matching lines, the later one wins. */
async function sendContext(context: string): Promise<void> {
  await mkdir(context);
  const ignore = await readFile(join(root, '.dockerignore'), 'utf8');
  for (const line of ignore.split('\n')) {
    const path = line.replace('!', '');
    if (line.startsWith('!')) await cp(join(root, path), join(context, path), { recursive: true });
    else if (/^[^#*]/.test(line)) await rm(join(context, path), { recursive: true, force: true });
  }
}

async function copy(paths: string, from: string, to: string): Promise<void> {
  const words = paths.split(' ');
  const target = words.pop() ?? '';
  for (const source of words) {
    const path = join(from, source);
    // For a folder, its content is copied.
    const isFileInto = target.endsWith('/') && !(await stat(path)).isDirectory();
    const destination = join(to, target, isFileInto ? basename(source) : '');
    await cp(path, destination, { recursive: true, verbatimSymlinks: true });
  }
}
