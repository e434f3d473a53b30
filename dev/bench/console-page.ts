// `npm run bench:console`: how long the console's first page takes on a cold cache, and how much it loads.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { findChromium, launchChromium } from '../browser/find-chromium.ts';
import { launch } from '../start/launch.ts';

const help = `Usage: npm run bench:console -- [options]

Starts a service, opens its console in browsers that have nothing of it yet, and prints how long it took until
the form of the sign-in took text, and how many bytes were loaded until then.

  --rounds N   how often it is opened; 10 by default
  --help       shows this
`;
const options = { rounds: { type: 'string', default: '10' } } as const;

interface Opening {
  ms: number;
  bytes: number;
}

async function openOnce(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const begunMs = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByLabel('Email').fill('ada@example.com');
    return { ms: performance.now() - begunMs, bytes };
  } finally {
    await context.close();
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

await runCommand(async () => {
  const { rounds } = parseArgs({ options }).values;
  await using open = new Disposal();
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-bench-console-'));
  open.defer(() => rm(dataDir, { recursive: true, force: true }));
  const env = { ...process.env, PORT: '0', MONGODB_URI: '', TEMPORAL_ADDRESS: '' };
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const { dev } = open.use(await launch({ env, dataDir, ephemeral: true, progress }));
  const browser = await launchChromium(await findChromium(process.env));
  open.defer(() => browser.close());
  const openings: Opening[] = [];
  for (let round = 0; round < Number(rounds); round += 1)
    openings.push(await openOnce(browser, `${dev.apiUrl}/console/sign-in`));
  const [ms, bytes] = [openings.map((one) => one.ms), openings.map((one) => one.bytes)];
  process.stdout.write(
    `first page: median ${Math.round(middle(ms))} ms, slowest ${Math.round(Math.max(...ms))} ms, ` +
      `${Math.round(Math.max(...bytes) / 1024)} KB\n`,
  );
}, help);
process.exit();
