// Bundles the command line, with the licenses of the bundled packages. What only one command needs is a file of its own.
import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from '../../deploy/third-party-notices.mjs';

const folder = import.meta.dirname;
const outFile = resolve(folder, process.argv[2] ?? 'dist/agent-herald.js');
if (process.argv[2] === undefined) rmSync(dirname(outFile), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: [{ in: 'src/main.ts', out: basename(outFile).replace(/\.m?js$/, '') }],
  outdir: dirname(outFile),
  outExtension: { '.js': extname(outFile) },
  chunkNames: 'parts/[name]-[hash]',
  splitting: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  metafile: true,
  logLevel: 'warning',
  // Some packages still use `require`.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
});

const packages = new Set(
  Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  ),
);
writeFileSync(
  resolve(outFile, '..', 'LICENSES.txt'),
  licensesOf([...packages].sort().map((path) => resolve(folder, path))),
);
