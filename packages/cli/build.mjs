// Bundles the command line into one file, with the licenses of the bundled packages.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from '../../deploy/third-party-notices.mjs';

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
