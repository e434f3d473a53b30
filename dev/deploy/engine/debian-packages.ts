// Packages of Debian in a folder, without installing them on this machine.
import { access, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inStaging } from '../../servers/install-binary.ts';
import { runProgram } from '../../servers/run-program.ts';

const timeoutMs = 10 * 60_000;
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** The release of the images' base. Its package of Compose runs on the release before as well. */
export const imageRelease = 'trixie';
const names = ['docker.io', 'iptables', 'mmdebstrap', 'containernetworking-plugins'];

export interface DebianMirror {
  readonly uri: string;
  /** The release of this machine, such as `bookworm`. */
  readonly release: string;
}

/** Returns the mirror that this machine uses, or undefined if it is not Debian. */
export async function findMirror(): Promise<DebianMirror | undefined> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const [, release] = /^VERSION_CODENAME=(\w+)$/m.exec(system) ?? [];
  if (!/^ID=debian$/m.test(system) || release === undefined) return undefined;
  const columns = '$(CODENAME) $(REPO_URI)';
  const targets = await runProgram('apt-get', ['indextargets', '--format', columns], { timeoutMs });
  const [, uri] =
    targets
      .split('\n')
      .map((line) => line.split(' '))
      .find(([codename]) => codename === release) ?? [];
  return uri === undefined ? undefined : { uri, release };
}

/** The programs of the unpacked packages. */
export interface UnpackedPackages {
  readonly root: string;
  /** Settings with which its programs find each other and their libraries. */
  readonly env: NodeJS.ProcessEnv;
}

/** Unpacks Docker, Compose, iptables, mmdebstrap and the plugins of pods' networks below `cacheDir`, once. Throws if one cannot be downloaded. */
export async function unpackEngine(
  cacheDir: string,
  mirror: DebianMirror,
  progress: (line: string) => void,
): Promise<UnpackedPackages> {
  const root = join(cacheDir, ['engine', mirror.release, process.arch, ...names].join('-'));
  if (!(await exists(root))) {
    progress('engine: unpacking the packages of Docker and Compose');
    await inStaging(cacheDir, async (staging) => {
      const unpacked = join(staging, 'root');
      await mkdir(unpacked);
      const own = await aptOptions(join(staging, 'own'), mirror.uri, mirror.release);
      await apt(own.options, 'update');
      await apt(
        own.options,
        'install',
        // Also if this machine has one of them, so that the folder has all.
        '--reinstall',
        '--download-only',
        '--no-install-recommends',
        '-y',
        ...names,
      );
      await unpackAll(own.archives, unpacked);
      const later = await aptOptions(join(staging, 'later'), mirror.uri, imageRelease);
      await apt(later.options, 'update');
      await runProgram(
        'env',
        ['-C', later.archives, 'apt-get', ...later.options, 'download', 'docker-compose'],
        { timeoutMs },
      );
      await unpackAll(later.archives, unpacked);
      // The package makes these names when it is installed.
      for (const name of ['iptables', 'ip6tables', 'iptables-save', 'iptables-restore'])
        await symlink('xtables-nft-multi', join(unpacked, 'usr/sbin', name));
      await rename(unpacked, root);
    });
  }
  return { root, env: await environmentOf(root) };
}

async function aptOptions(folder: string, uri: string, release: string) {
  const archives = join(folder, 'archives');
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  await mkdir(join(archives, 'partial'), { recursive: true });
  const sources = join(folder, 'sources.list');
  await writeFile(sources, `deb [signed-by=${keyring}] ${uri} ${release} main\n`);
  const settings = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache::Archives': archives,
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    // Its own user cannot read the folder.
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return { options: ['-q', ...options], archives };
}

async function apt(options: readonly string[], ...command: readonly string[]): Promise<void> {
  await runProgram('apt-get', [...options, ...command], { timeoutMs });
}

async function unpackAll(archives: string, root: string): Promise<void> {
  for (const name of await readdir(archives))
    if (name.endsWith('.deb'))
      await runProgram('dpkg-deb', ['--extract', join(archives, name), root], { timeoutMs });
}

async function environmentOf(root: string): Promise<NodeJS.ProcessEnv> {
  const libraries = (await readdir(join(root, 'usr/lib'))).filter((name) =>
    /-linux-gnu/.test(name),
  );
  const folders = libraries.map((name) => join(root, 'usr/lib', name));
  return {
    ...process.env,
    PATH: [
      ...['usr/bin', 'usr/sbin', 'sbin'].map((name) => join(root, name)),
      process.env['PATH'],
    ].join(':'),
    LD_LIBRARY_PATH: folders.join(':'),
    XTABLES_LIBDIR: folders.map((folder) => join(folder, 'xtables')).join(':'),
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
