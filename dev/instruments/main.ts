// `npm run instruments`: writes the table of docs/metrics.md from lib/telemetry/instruments.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import { withTable } from './metrics-table.ts';

const help = `Usage: npm run instruments

Writes the table in docs/metrics.md from lib/telemetry/instruments.ts.

  --help  shows this
`;

const path = 'docs/metrics.md';

await runCommand(async () => {
  parseArgs({ options: {} });
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), Object.values(instruments)));
}, help);
