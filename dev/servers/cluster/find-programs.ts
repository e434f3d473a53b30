// Finds the programs of a cluster: on PATH, in the project's cache, or by a build with Go.
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinary } from '../find-binary.ts';
import { builtWithGo, findOnPath, findOrInstall, isExecutable } from '../find-or-install.ts';

/** The release of docker-compose.yml. */
const temporalVersion = '1.32.0';
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
  return { mongod, postgresFolder, temporalServer, temporalSqlTool };
}

async function findTemporal(
  name: string,
  [goPackage, built]: readonly [string, string],
  options: FindOptions,
): Promise<string> {
  const building = builtWithGo(`go.temporal.io/server/${goPackage}@v${temporalVersion}`, built);
  return findOrInstall({ name, version: temporalVersion, ...building }, options);
}

// Not from a wheel: those of PyPI lack the extension `btree_gin`, which Temporal's schema creates.
async function findPostgres({ env }: FindOptions): Promise<string> {
  for (const folder of await installedPostgres(env))
    if (await isExecutable(join(folder, 'initdb'))) return folder;
  throw new Error('initdb is not on PATH: install PostgreSQL with its extensions (postgresql)');
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
