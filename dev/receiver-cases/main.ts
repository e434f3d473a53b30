// `npm run receiver-cases`: writes packages/receiver-cases/deliveries.json, which all receivers are tested with.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { casesFile } from './cases-file.ts';

const help = `Usage: npm run receiver-cases

Writes packages/receiver-cases/deliveries.json.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  const vectors = JSON.parse(
    readFileSync('test/unit/crypto/signature-cases.json', 'utf8'),
  ) as object;
  writeFileSync('packages/receiver-cases/deliveries.json', casesFile(vectors));
}, help);
