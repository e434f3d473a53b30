// `npm run limits`: writes docs/limits.md from lib/limits.ts.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { limitsPage } from './limits-page.ts';

const help = `Usage: npm run limits

Writes docs/limits.md from lib/limits.ts.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  writeFileSync('docs/limits.md', limitsPage());
}, help);
