// What the stand-ins of images are made of.
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { findTemporalPrograms } from '../../servers/cluster/find-programs.ts';
import { findBinary } from '../../servers/find-binary.ts';
import { builtWithGo, findOrInstall } from '../../servers/find-or-install.ts';
import { goModule } from '../../servers/go-module.ts';
import { runProgram } from '../../servers/run-program.ts';
import { imageRelease } from './debian-packages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const recipes = fileURLToPath(new URL('../stand-ins', import.meta.url));
const timeoutMs = 15 * 60_000;
export const debianTag = `herald-debian:${imageRelease}`;

export interface StandIn {
  readonly tag: string;
  /** The name of its Dockerfile. */
  readonly recipe: string;
  readonly base: Readonly<Record<string, string>>;
  /** Puts what the Dockerfile copies into a folder. */
  readonly fill: (folder: string) => Promise<void>;
}

interface FindOptions {
  readonly progress: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the stand-ins of all images that the files name, except those of the profile `monitoring`. */
export async function listStandIns(progress: (line: string) => void): Promise<StandIn[]> {
  const tags = await tagsInFiles();
  const tagOf = (repository: string): string => {
    const tag = tags.find((each) => each.startsWith(`${repository}:`));
    if (tag === undefined) throw new Error(`no file names an image ${repository}`);
    return tag;
  };
  const base = { DEBIAN: debianTag };
  const node = tagOf('node');
  const find = { progress, env: process.env };
  const programs = await findTemporalPrograms(find);
  const server = `go.temporal.io/server@v${versionIn(tagOf('temporalio/server'))}`;
  return [
    { tag: node, recipe: 'node', base, fill: fillNode },
    {
      tag: tagOf('mongo'),
      recipe: 'mongo',
      base: { NODE: node },
      async fill(folder) {
        await copyFile(await findBinary('mongod', find), join(folder, 'mongod'));
      },
    },
    {
      tag: tagOf('postgres'),
      recipe: 'postgres',
      base,
      async fill(folder) {
        await copyFile(join(recipes, 'postgres.sh'), join(folder, 'postgres.sh'));
      },
    },
    {
      tag: tagOf('temporalio/server'),
      recipe: 'temporal',
      base,
      async fill(folder) {
        await copyFile(programs.temporalServer, join(folder, 'temporal-server'));
        const script = join(await goModule(server), 'docker/scripts/sh/entrypoint.sh');
        await copyFile(script, join(folder, 'entrypoint.sh'));
      },
    },
    {
      tag: tagOf('temporalio/admin-tools'),
      recipe: 'temporal-tools',
      base,
      async fill(folder) {
        await copyFile(await findBinary('temporal', find), join(folder, 'temporal'));
        await copyFile(programs.temporalSqlTool, join(folder, 'temporal-sql-tool'));
        await cp(join(await goModule(server), 'schema'), join(folder, 'schema'), {
          recursive: true,
        });
      },
    },
    {
      tag: tagOf('temporalio/ui'),
      recipe: 'temporal-ui',
      base,
      fill: (folder) => fillUi(folder, versionIn(tagOf('temporalio/ui')), find),
    },
  ];
}

async function tagsInFiles(): Promise<string[]> {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  const { services } = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, { image: string }> };
  return [
    ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, tag = '']) => tag),
    ...Object.values(services).map(({ image }) => image),
  ];
}

const versionIn = (tag: string): string => tag.slice(tag.lastIndexOf(':') + 1);

async function fillUi(folder: string, version: string, options: FindOptions): Promise<void> {
  const module = 'github.com/temporalio/ui-server/v2';
  const building = builtWithGo(`${module}/cmd/server@v${version}`, 'server');
  const program = await findOrInstall(
    { name: 'temporal-ui-server', version, ...building },
    options,
  );
  await copyFile(program, join(folder, 'ui-server'));
  const source = await goModule(`${module}@v${version}`);
  await cp(join(source, 'config'), join(folder, 'config'), { recursive: true });
  await copyFile(join(source, 'docker/start-ui-server.sh'), join(folder, 'start-ui-server.sh'));
}

/** Node's program and npm are packages of npm's registry. Containers use the registry and certificates of this machine. */
async function fillNode(folder: string): Promise<void> {
  const version = (await readFile(join(root, '.node-version'), 'utf8')).trim();
  const npmVersion = (await runProgram('npm', ['--version'], { timeoutMs })).trim();
  const platform = `node-linux-${process.arch}`;
  await unpackPackage(`${platform}@${version}`, folder, 'package');
  await copyFile(join(folder, 'package/bin/node'), join(folder, 'node'));
  await unpackPackage(`npm@${npmVersion}`, folder, 'npm');
  const etc = join(folder, 'etc');
  await mkdir(etc);
  const registry = (await runProgram('npm', ['config', 'get', 'registry'], { timeoutMs })).trim();
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  const npmrc = [`registry=${registry}`];
  if (certificates !== undefined) {
    await copyFile(certificates, join(etc, 'certificates.pem'));
    npmrc.push('cafile=/usr/local/etc/certificates.pem');
  }
  await writeFile(join(etc, 'npmrc'), `${npmrc.join('\n')}\n`);
}

async function unpackPackage(requirement: string, folder: string, name: string): Promise<void> {
  const pack = ['pack', '--silent', '--pack-destination', folder, requirement];
  const archive = (await runProgram('npm', pack, { timeoutMs })).trim().split('\n').at(-1) ?? '';
  const target = join(folder, name);
  await mkdir(target);
  const args = ['-xzf', join(folder, archive), '-C', target, '--strip-components=1'];
  await runProgram('tar', args, { timeoutMs });
}
