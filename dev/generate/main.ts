// `npm run generate`: writes all generated files. With `-- --check`, only lists the outdated ones.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { prepareEnvironment, programOf } from '../python/environment.ts';
import { runProgram } from '../servers/run-program.ts';
import { generateFiles } from './generated-files.ts';

const help = `Usage: npm run generate [-- --check]

Writes the contract of the API, the types of the clients and receivers, the receivers' cases,
the tables of settings, limits, metrics and log events, the results in docs/reliability.md, and the
settings in docker-compose.yml and the chart. Needs Python for the Python client.

  --check  writes nothing, and ends with 1 if a file is not up to date;
           the tests of the Python client check its files
  --help   shows this
`;

const pythonClient = 'client-py';
const pythonTimeoutMs = 60_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const stale: string[] = [];
  for (const [path, text] of await generateFiles()) {
    if ((await readFile(path, 'utf8').catch(() => null)) === text) continue;
    stale.push(path);
    if (!values.check) await writeFile(path, text);
  }
  const verb = values.check ? 'not up to date, run npm run generate' : 'written';
  for (const path of stale) process.stdout.write(`${verb}: ${path}\n`);
  if (values.check) {
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  await prepareEnvironment(pythonClient, `packages/${pythonClient}/requirements-dev.txt`);
  await runProgram(programOf(pythonClient, 'python'), [`packages/${pythonClient}/generator`], {
    timeoutMs: pythonTimeoutMs,
  });
}

await runCommand(main, help);
