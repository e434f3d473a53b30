// `npm run client-types`: writes the types, calls and errors of the client from the contract.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { formatted } from '../receiver-types/formatted.ts';
import { readContract } from './contract.ts';
import { generatedFiles } from './generated-files.ts';

const help = `Usage: npm run client-types

Writes packages/client-ts/src/generated from docs/openapi.json.

  --help  shows this
`;

await runCommand(async () => {
  parseArgs({ options: {} });
  for (const [name, text] of Object.entries(generatedFiles(readContract())))
    writeFileSync(`packages/client-ts/src/generated/${name}`, await formatted(text));
}, help);
