// Writes the command line as one file, with the licenses of what it holds.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const outFile = resolve(folder, process.argv[2] ?? 'dist/agent-herald.js');
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: ['src/main.ts'],
  outfile: outFile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  metafile: true,
  logLevel: 'warning',
  // Packages that were written for `require`.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
});

const packages = new Set(
  Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  ),
);
const licenses = [...packages].sort().map((path) => {
  const root = `${folder}/${path}`;
  const { name, version, license } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const file = readdirSync(root).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? `License: ${license}\n` : readFileSync(`${root}/${file}`, 'utf8');
  return `${name} ${version}\n\n${text}`;
});
writeFileSync(resolve(outFile, '..', 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(80)}\n\n`));
