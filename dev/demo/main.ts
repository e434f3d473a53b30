// `npm run demo`: sends every kind of event from the running service to a receiver of the demo.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readDevFile } from '../../lib/config/dev-file.ts';
import { eventNames } from '../../lib/model/event-name.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { print } from '../servers/print.ts';
import { type DemoReceiver, startDemoReceiver } from './receiver.ts';
import { playStory } from './story.ts';

const help = `Usage: npm run demo

Plays the whole story against the npm start that runs here: a user signs in, a webhook is registered,
and each of the nine events arrives at a receiver that verifies its signature. The exit code is 1 where one is missing.

  --help  shows this

HERALD_DATA_DIR is that of npm start (.herald).
`;

async function main(): Promise<void> {
  parseArgs({ options: {} });
  const path = resolve(process.env['HERALD_DATA_DIR'] || '.herald', 'dev.json');
  const dev = await readDevFile(path);
  if (dev === null) {
    throw new Error(`the service does not run here (no ${path}): start it with npm start`);
  }
  // A killed start leaves its file behind.
  if ((await fetch(`${dev.apiUrl}/healthz`).catch(() => null)) === null) {
    throw new Error(`nothing answers at ${dev.apiUrl} (from ${path}): start it with npm start`);
  }
  await using receiver = await startDemoReceiver();
  checkArrivals(receiver, await playStory(dev, receiver));
}

function checkArrivals({ refused }: DemoReceiver, arrived: readonly string[]): void {
  const missing = eventNames.filter((event) => !arrived.includes(event));
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);
  if (refused > 0) throw new Error(`${refused} deliveries had a signature that does not verify.`);
  print(`\nAll ${eventNames.length} events arrived, each with a signature that verifies.`);
}

await runCommand(main, help);
