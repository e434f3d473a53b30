// The archive of MongoDB for a machine.
import { expect, test } from 'vitest';
import { mongodbArchivePath } from '../../../dev/servers/mongodb-archive.ts';

const release = (id: string, version: string, like = ''): string =>
  `NAME="Some Linux"\nVERSION_ID="${version}"\nVERSION="${version} (name)"\nID=${id}\nID_LIKE="${like}"\n`;

test.each([
  ['linux', 'x64', release('debian', '11'), '/linux/mongodb-linux-x86_64-debian11-7.0.1.tgz'],
  ['linux', 'x64', release('debian', '12'), '/linux/mongodb-linux-x86_64-debian12-7.0.1.tgz'],
  ['linux', 'x64', release('debian', '13'), '/linux/mongodb-linux-x86_64-debian12-7.0.1.tgz'],
  ['linux', 'arm64', release('debian', '12'), '/linux/mongodb-linux-aarch64-ubuntu2204-7.0.1.tgz'],
  ['linux', 'x64', 'ID=debian\n', '/linux/mongodb-linux-x86_64-debian12-7.0.1.tgz'],
  ['linux', 'x64', release('ubuntu', '20.04'), '/linux/mongodb-linux-x86_64-ubuntu2004-7.0.1.tgz'],
  ['linux', 'x64', release('ubuntu', '24.04'), '/linux/mongodb-linux-x86_64-ubuntu2204-7.0.1.tgz'],
  [
    'linux',
    'x64',
    release('linuxmint', '21', 'ubuntu debian'),
    '/linux/mongodb-linux-x86_64-ubuntu2204-7.0.1.tgz',
  ],
  [
    'linux',
    'x64',
    release('rocky', '8.9', 'rhel centos fedora'),
    '/linux/mongodb-linux-x86_64-rhel80-7.0.1.tgz',
  ],
  ['linux', 'arm64', release('rhel', '9.4'), '/linux/mongodb-linux-aarch64-rhel90-7.0.1.tgz'],
  ['linux', 'x64', release('amzn', '2'), '/linux/mongodb-linux-x86_64-amazon2-7.0.1.tgz'],
  ['linux', 'x64', release('amzn', '2023'), '/linux/mongodb-linux-x86_64-amazon2023-7.0.1.tgz'],
  ['darwin', 'arm64', '', '/osx/mongodb-macos-arm64-7.0.1.tgz'],
  ['darwin', 'x64', '', '/osx/mongodb-macos-x86_64-7.0.1.tgz'],
])('on %s %s with %j it is %s', (...row) => {
  const [platform, arch, osRelease, path] = row;
  expect(mongodbArchivePath('7.0.1', { platform, arch, osRelease })).toBe(path);
});

test.each([
  ['win32', 'x64'],
  ['linux', 'riscv64'],
])('there is none for %s %s', (platform, arch) => {
  const machine = { platform, arch, osRelease: '' };
  expect(() => mongodbArchivePath('7.0.1', machine)).toThrow('MongoDB has no archive for');
});
