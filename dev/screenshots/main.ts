// The second half of `npm run pictures`: makes the pictures of Temporal's UI anew, from a run of the service.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { launch } from '../start/launch.ts';
import { findChromium } from '../browser/find-chromium.ts';
import { openTemporalUi } from './browser.ts';
import { playScenes } from './scenes.ts';

const picturesDir = fileURLToPath(new URL('../../docs/images', import.meta.url));

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  // First, so that nothing is started without a browser.
  const chromium = await findChromium(process.env);
  const stopAsked = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
  const open = new Disposal();
  try {
    await Promise.race([makePictures(open, chromium), stopAsked]);
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

async function makePictures(open: Disposal, chromium: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-screenshots-'));
  open.defer(() => rm(dataDir, { recursive: true, force: true }));
  // Servers that the environment names may hold private data.
  const env = {
    ...process.env,
    PORT: '0',
    MONGODB_URI: '',
    TEMPORAL_ADDRESS: '',
    TEMPORAL_NAMESPACE: '',
  };
  const { dev } = open.use(await launch({ env, dataDir, ephemeral: true, progress: say }));
  const connection = await Connection.connect({ address: dev.temporalAddress });
  open.defer(() => connection.close());
  const client = new Client({ connection });
  const ui = open.use(await openTemporalUi(chromium, dev.temporalUiUrl ?? ''));
  await mkdir(picturesDir, { recursive: true });
  await playScenes({ dev, client, ui, open, picturesDir, say });
}

await runCommand(main);
process.exit();
