// `npm run receiver-cases`: writes the files of packages/receiver-cases that all receivers are tested with.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { casesFile } from './cases-file.ts';
import { optionsFile } from './options.ts';

const help = `Usage: npm run receiver-cases

Writes deliveries.json and options.json of packages/receiver-cases.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  const vectors = JSON.parse(
    readFileSync('test/unit/crypto/signature-cases.json', 'utf8'),
  ) as object;
  writeFileSync('packages/receiver-cases/deliveries.json', casesFile(vectors));
  writeFileSync('packages/receiver-cases/options.json', optionsFile());
}, help);
