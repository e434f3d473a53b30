// Selects MongoDB's archive for this machine (https://www.mongodb.com/docs/manual/administration/production-notes/).
import { readFileSync } from 'node:fs';

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** The text of /etc/os-release. Empty if there is none. */
  readonly osRelease: string;
}

export function thisMachine(): Machine {
  const { platform, arch } = process;
  const osRelease = platform === 'linux' ? readFileSync('/etc/os-release', 'utf8') : '';
  return { platform, arch, osRelease };
}

/** Returns the path of the archive on MongoDB's server. Throws if there is none. */
export function mongodbArchivePath(version: string, machine: Machine): string {
  const { platform, arch } = machine;
  const isArm = arch === 'arm64';
  if (!isArm && arch !== 'x64') throw new Error(`MongoDB has no archive for ${arch}`);
  if (platform === 'darwin') {
    return `/osx/mongodb-macos-${isArm ? 'arm64' : 'x86_64'}-${version}.tgz`;
  }
  if (platform !== 'linux') throw new Error(`MongoDB has no archive for ${platform}`);
  const processor = isArm ? 'aarch64' : 'x86_64';
  return `/linux/mongodb-linux-${processor}-${distributionOf(machine)}-${version}.tgz`;
}

function distributionOf({ arch, osRelease }: Machine): string {
  const valueOf = (name: string): string =>
    new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(osRelease)?.[1] ?? '';
  const ids = [valueOf('ID'), ...valueOf('ID_LIKE').split(' ')];
  const release = Number.parseInt(valueOf('VERSION_ID'), 10) || Infinity;
  if (ids[0] === 'amzn') return release >= 2023 ? 'amazon2023' : 'amazon2';
  // The archives for Debian are for x86_64 only.
  if (ids[0] === 'debian' && arch === 'x64') return release >= 12 ? 'debian12' : 'debian11';
  if (ids.includes('rhel')) return release >= 9 ? 'rhel90' : 'rhel80';
  return ids[0] === 'ubuntu' && release < 22 ? 'ubuntu2004' : 'ubuntu2204';
}
