// Compiles the package in the current folder into its `dist/`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.json'], { stdio: 'inherit' });
for (const name of readdirSync('dist', { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join('dist', name);
  // The compiler rewrites `.ts` in the imports of programs, but not in those of declarations.
  const text = readFileSync(path, 'utf8').replaceAll(/(?<=['"]\.[^'"]*)\.ts(?=['"])/g, '.js');
  writeFileSync(path, text);
}
