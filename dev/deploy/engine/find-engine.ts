// Finds a running Docker, or starts one on Debian.
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { canRun, runProgram } from '../../servers/run-program.ts';
import { type DebianMirror, findMirror } from './debian-packages.ts';
import { Engine } from './engine.ts';
import { startOwnEngine } from './own-engine.ts';

const timeoutMs = 30_000;
export const goProbe = 'go version';

interface FindOptions {
  readonly open: Disposal;
  readonly progress: (line: string) => void;
}

/** Returns a running engine, or the sentence that says what is missing. */
export async function findEngine({ open, progress }: FindOptions): Promise<Engine | string> {
  if (await canRun(['docker', 'info'])) return foundEngine(progress);
  const debian = await findDebian();
  if (typeof debian === 'string')
    return `no container engine answers \`docker info\`, and none can be started: ${debian}`;
  return startOwnEngine({ open, progress, mirror: debian });
}

/** Returns the mirror of a machine on which Debian's packages can run, or the sentence that says what is missing. */
export async function findDebian(): Promise<DebianMirror | string> {
  const mirror = process.platform === 'linux' ? await findMirror() : undefined;
  if (mirror === undefined || process.getuid?.() !== 0) return 'that needs root on Debian';
  for (const probe of ['ip -V', 'nsenter -V', 'dpkg-deb --version', goProbe])
    if (!(await canRun(probe.split(' ')))) return `${probe.split(' ')[0]} is not installed`;
  return mirror;
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
