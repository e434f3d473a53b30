// Writes the licenses of the parts of others that the service ships. Those in the console are in its `licenses.txt`.
// Usage: node deploy/third-party-notices.mjs FILE [FOLDER]: of the service, or of the packages installed in FOLDER
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files in the repository that came from elsewhere: docs/dependencies.md has their versions. */
const vendored = [
  ['docs/reference/scalar.js.gz', 'docs/reference/scalar-licenses.txt'],
  ['lib/access/common-passwords.ts', 'lib/access/common-passwords-license.txt'],
];

/** Returns names, versions and licenses of the packages in the folders; a text that several share is there once. */
export function licensesOf(folders) {
  const namesByText = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const texts = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?:licen[cs]e|notice)/i.test(entry.name))
      .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
    const text =
      texts.length > 0 ? texts.join('\n\n') : `License: ${license ?? 'not named in the package'}`;
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${name} ${version}`]);
  }
  return joined([...namesByText].map(([text, names]) => [[...new Set(names)].join('\n'), text]));
}

function joined(entries) {
  return entries
    .map(([title, text]) => `${title}\n\n${text.trim()}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the folders of the packages that run in production and are installed, from the lock file. */
function installedIn(root) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link)
    .map(([path]) => join(root, path))
    .filter((path) => existsSync(path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file, root] = process.argv;
  const parts = [licensesOf(installedIn(root ?? '.'))];
  if (root === undefined)
    parts.push(joined(vendored.map(([path, text]) => [path, readFileSync(text, 'utf8')])));
  writeFileSync(file, parts.join(`\n${'-'.repeat(80)}\n\n`));
}
