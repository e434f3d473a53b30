// Finds a running Docker, or starts one on Debian.
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { canRun, runProgram } from '../../servers/run-program.ts';
import { findMirror } from './debian-packages.ts';
import { Engine } from './engine.ts';
import { startOwnEngine } from './own-engine.ts';

const timeoutMs = 30_000;

interface FindOptions {
  readonly open: Disposal;
  readonly progress: (line: string) => void;
}

/** Returns a running engine, or the sentence that says what is missing. */
export async function findEngine({ open, progress }: FindOptions): Promise<Engine | string> {
  if (await canRun(['docker', 'info'])) return foundEngine(progress);
  const mirror = process.platform === 'linux' ? await findMirror() : undefined;
  if (mirror === undefined || process.getuid?.() !== 0)
    return 'no container engine answers `docker info`, and only root on Debian can be given one';
  for (const program of ['ip', 'nsenter', 'dpkg-deb'])
    if (!(await canRun([program, '-V'])) && !(await canRun([program, '--version'])))
      return `no container engine answers \`docker info\`, and ${program}, which starts one, is not installed`;
  return startOwnEngine({ open, progress, mirror });
}

async function foundEngine(progress: (line: string) => void): Promise<Engine | string> {
  if (!(await canRun(['docker', 'compose', 'version'])))
    return 'the command `docker compose` is not installed';
  const print = (...args: string[]) => runProgram('docker', args, { timeoutMs });
  const version = await print('info', '--format', '{{.ServerVersion}}');
  progress(`engine: ${version.trim()}, of this machine`);
  const gateway = await print(
    'network',
    'inspect',
    'bridge',
    '--format',
    '{{(index .IPAM.Config 0).Gateway}}',
  );
  return new Engine({
    env: process.env,
    compose: ['docker', 'compose'],
    hostAddress: gateway.trim(),
    publishAddress: '127.0.0.1',
  });
}
