// `node dev/complete-lockfile.mjs`: adds the platform packages that npm omitted to package-lock.json. npm omits an
// optional package that its registry does not serve, and then `npm ci` rejects the lock file as incomplete. These
// packages are pinned exactly by the package that needs them, and their names contain their platform, so an entry can
// be written without having seen them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

/** Returns the platform in the name of a package, or null if there is none. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) return null;
  const abi = words.at(-1);
  const libc = abi.startsWith('musl') ? 'musl' : abi.startsWith('gnu') ? 'glibc' : null;
  return { os, cpu, libc: os === 'linux' ? libc : null };
}

/** Returns the missing entries, by their key in the lock file. */
export function missingEntries(lock) {
  const missing = {};
  for (const parent of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const key = `node_modules/${name}`;
      const platform = platformOf(name);
      if (lock.packages[key] !== undefined || platform === null) continue;
      if (!/^\d+\.\d+\.\d+$/.test(version)) continue;
      missing[key] = {
        version,
        cpu: [platform.cpu],
        ...(parent.dev ? { dev: true } : {}),
        ...(platform.libc ? { libc: [platform.libc] } : {}),
        optional: true,
        os: [platform.os],
      };
    }
  }
  return missing;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = 'package-lock.json';
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingEntries(lock);
  const entries = Object.entries({ ...lock.packages, ...missing });
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  lock.packages = Object.fromEntries(entries);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${Object.keys(missing).length} entries added\n`);
}
