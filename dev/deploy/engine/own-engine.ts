// Docker from Debian's packages, in a network namespace of its own, so that the rules of this machine stay as they are.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { serversCacheDir } from '../../servers/find-binary.ts';
import { startGuarded } from '../../servers/guarded-process.ts';
import { runProgram } from '../../servers/run-program.ts';
import { startTimeoutMs, waitUntilReady } from '../../servers/wait-until-ready.ts';
import { type DebianMirror, unpackEngine, type UnpackedPackages } from './debian-packages.ts';
import { Engine } from './engine.ts';
import { inNamespace, openNamespace } from './network-namespace.ts';
import { makeStandIns } from './stand-ins.ts';

const timeoutMs = 30_000;
const namespace = {
  name: 'herald-deploy',
  outside: '10.213.7.1',
  inside: '10.213.7.2',
};
// Apart from the ranges of a Docker that this machine may have.
const bridges = { bridge: '10.213.8.1/24', pool: 'base=10.213.16.0/20,size=24' };

interface OwnEngineOptions {
  readonly open: Disposal;
  readonly progress: (line: string) => void;
  readonly mirror: DebianMirror;
}

/**
 * Starts the engine and makes the images that no registry of images is needed for. Its images stay in the project's
 * cache. Throws if another run uses it.
 */
export async function startOwnEngine(options: OwnEngineOptions): Promise<Engine> {
  const { open, progress, mirror } = options;
  const cacheDir = serversCacheDir(process.env);
  await mkdir(cacheDir, { recursive: true });
  const packages = await unpackEngine(cacheDir, mirror, progress);
  await openNamespace(open, namespace, packages.env);
  const socket = await startDaemon(open, packages, join(cacheDir, 'engine-data'));
  const env = { ...packages.env, DOCKER_HOST: socket, DOCKER_BUILDKIT: '1' };
  const plugin = join(packages.root, 'usr/libexec/docker/cli-plugins/docker-compose');
  const engine = new Engine({
    env,
    compose: [plugin],
    hostAddress: namespace.outside,
    publishAddress: namespace.inside,
  });
  const version = await engine.docker(['info', '--format', '{{.ServerVersion}}'], { timeoutMs });
  progress(`engine: Docker ${version.trim()} from Debian's packages`);
  await makeStandIns({ engine, packages, mirror, cacheDir, progress });
  return engine;
}

async function startDaemon(open: Disposal, packages: UnpackedPackages, data: string) {
  const folder = await mkdtemp(join(tmpdir(), 'herald-engine-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const files = (await readFile('/proc/self/limits', 'utf8')).match(/^Max open files +\d+ +(\d+)/m);
  const args = [
    `--data-root=${data}`,
    `--exec-root=${join(folder, 'exec')}`,
    `--pidfile=${join(folder, 'pid')}`,
    `--host=${socket}`,
    '--oom-score-adjust=0',
    `--bip=${bridges.bridge}`,
    `--default-address-pool=${bridges.pool}`,
    // Containers can have no more than this process may give.
    ...(files === null ? [] : [`--default-ulimit=nofile=${files[1]}:${files[1]}`]),
  ];
  const daemon = await startGuarded({
    name: 'dockerd',
    ...inNamespace(namespace, packages.env, ['dockerd', ...args]),
    logFile: join(folder, 'dockerd.log'),
  });
  open.defer(() => daemon.stop());
  const env = { ...packages.env, DOCKER_HOST: socket };
  await waitUntilReady(daemon, {
    check: async () => {
      await runProgram('docker', ['version'], { timeoutMs, env });
      return true;
    },
    timeoutMs: startTimeoutMs,
  });
  return socket;
}
