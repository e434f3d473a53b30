// `npm run limits`: writes docs/limits.md from lib/limits.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as groups from '../../lib/limits.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { limitsPage } from './limits-page.ts';

const help = `Usage: npm run limits

Writes docs/limits.md from lib/limits.ts.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  writeFileSync('docs/limits.md', limitsPage(readFileSync('lib/limits.ts', 'utf8'), groups));
}, help);
