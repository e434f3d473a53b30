// Images under the tags that Dockerfile and docker-compose.yml name, made of what registries of packages serve.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inStaging } from '../../servers/install-binary.ts';
import { runProgram } from '../../servers/run-program.ts';
import { type DebianMirror, imageRelease, type UnpackedPackages } from './debian-packages.ts';
import type { Engine } from './engine.ts';
import { debianTag, listStandIns, recipes, type StandIn } from './recipes.ts';

const timeoutMs = 15 * 60_000;
const recipeLabel = 'agent-herald.recipe';

interface StandInOptions {
  readonly engine: Engine;
  readonly packages: UnpackedPackages;
  readonly mirror: DebianMirror;
  readonly cacheDir: string;
  readonly progress: (line: string) => void;
}

/** Makes the images that are missing or were made by another recipe. */
export async function makeStandIns(options: StandInOptions): Promise<void> {
  const { engine, cacheDir, progress } = options;
  if ((await labelOf(engine, debianTag)) === undefined) await importDebian(options);
  for (const standIn of await listStandIns(progress)) {
    const dockerfile = join(recipes, `${standIn.recipe}.Dockerfile`);
    const recipe = await hashRecipe(standIn);
    if ((await labelOf(engine, standIn.tag)) === recipe) continue;
    progress(`engine: making ${standIn.tag}`);
    await inStaging(cacheDir, async (folder) => {
      await standIn.fill(folder);
      const base = Object.entries(standIn.base).flatMap(([name, value]) => [
        '--build-arg',
        `${name}=${value}`,
      ]);
      const label = `${recipeLabel}=${recipe}`;
      const args = [
        'build',
        '-q',
        '-f',
        dockerfile,
        '-t',
        standIn.tag,
        '--label',
        label,
        ...base,
        folder,
      ];
      await engine.docker(args, { timeoutMs });
    });
  }
}

async function hashRecipe({ tag, recipe, base }: StandIn): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([tag, base]));
  for (const name of (await readdir(recipes)).toSorted())
    if (name.startsWith(`${recipe}.`)) hash.update(await readFile(join(recipes, name)));
  return hash.digest('hex');
}

/** Returns the recipe of an image: an empty text if it has none, undefined if there is no such image. */
async function labelOf(engine: Engine, tag: string): Promise<string | undefined> {
  const format = `{{index .Config.Labels "${recipeLabel}"}}`;
  const inspect = ['image', 'inspect', '--format', format, tag];
  return engine.docker(inspect, { timeoutMs }).then(
    (printed) => printed.trim(),
    () => undefined,
  );
}

async function importDebian({ engine, packages, mirror, cacheDir, progress }: StandInOptions) {
  progress(`engine: making ${debianTag}`);
  await inStaging(cacheDir, async (folder) => {
    const archive = join(folder, 'debian.tar');
    const options = ['--mode=root', '--variant=minbase', '--components=main'];
    const keyring = '--keyring=/usr/share/keyrings/debian-archive-keyring.gpg';
    const args = [...options, keyring, imageRelease, archive, mirror.uri];
    await runProgram('mmdebstrap', args, { timeoutMs, env: packages.env });
    await engine.docker(['import', archive, debianTag], { timeoutMs });
  });
}
