// `npm run receiver-types`: writes packages/receiver-ts/src/events.ts from the catalogue of events.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { formatted } from './formatted.ts';
import { typesFile } from './types-file.ts';

const help = `Usage: npm run receiver-types

Writes packages/receiver-ts/src/events.ts.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  writeFileSync('packages/receiver-ts/src/events.ts', await formatted(typesFile()));
}, help);
