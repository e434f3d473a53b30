// Builds the Dockerfile, and looks at what the image has.
import { fileURLToPath } from 'node:url';
import { print, timed } from '../servers/print.ts';
import { docker } from './engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const buildTimeoutMs = 20 * 60_000;
const mebibyte = 1024 * 1024;
/** Without its base. */
const imageBytesMax = 250 * mebibyte;
const base = 'node:24-trixie-slim';

const platform = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-gnu`;
/** Arguments of `find`, which must list nothing for the image's own user. */
const unwanted: Readonly<Record<string, string>> = {
  'files that it can write to': '/app -writable ! -type l',
  'source maps of dependencies': '/app/node_modules -name *.map',
  'tests, version control or secrets':
    '/app -not -path /app/node_modules/* ( -name *.test.* -o -name .git -o -name .env* )',
  'native modules of other platforms': `/app/node_modules -path *releases* -name *.node ! -path *${platform}*`,
  'links that lead nowhere': '/app -xtype l',
};
const wanted = ['LICENSE', 'dist/THIRD_PARTY_NOTICES', 'sbom.cdx.json'];

/** Builds the image as `tag`. Throws the end of the log if a step fails, or what is wrong with the image. */
export async function checkImage(tag: string): Promise<void> {
  await timed('image: built', () => docker(['build', '--tag', tag, root], buildTimeoutMs));
  // A build does not leave a name for the base that it downloaded.
  await sizeOf(base).catch(() => docker(['pull', base], buildTimeoutMs));
  const bytes = (await sizeOf(tag)) - (await sizeOf(base));
  const mebibytes = (bytes / mebibyte).toFixed(0);
  print(`image: ${mebibytes} MiB without its base`);
  if (bytes > imageBytesMax) throw new Error(`the image adds ${mebibytes} MiB to its base`);
  const { User, Labels } = await configOf(tag);
  if (User !== 'node') throw new Error(`the image runs as ${User || 'root'}`);
  for (const name of ['title', 'description', 'version', 'licenses'])
    if (!Labels?.[`org.opencontainers.image.${name}`])
      throw new Error(`the image has no label ${name}`);
  for (const [what, expression] of Object.entries(unwanted)) {
    const found = await list(tag, ['find', ...expression.split(' ')]);
    if (found.length > 0) throw new Error(`the image has ${what}: ${found.slice(0, 5).join(', ')}`);
  }
  await list(tag, ['ls', ...wanted]);
}

async function sizeOf(tag: string): Promise<number> {
  return Number(await docker(['image', 'inspect', '--format', '{{.Size}}', tag]));
}

async function configOf(tag: string) {
  const printed = await docker(['image', 'inspect', '--format', '{{json .Config}}', tag]);
  return JSON.parse(printed) as { User: string; Labels: Record<string, string> | null };
}

async function list(tag: string, [program = '', ...args]: readonly string[]) {
  const printed = await docker(['run', '--rm', '--entrypoint', program, tag, ...args]);
  return printed.split('\n').filter((line) => line !== '');
}
