// `npm run alerts:record`: runs each fault on a service of its own and keeps what Prometheus would have scraped.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { faults } from './faults.ts';
import { type Recording, recordingsFolder } from './recording.ts';
import { scrape } from './scrape.ts';
import { openStage } from './stage.ts';

const help = `Usage: npm run alerts:record -- [options] [NAME…]

Records the metrics of a real service during each fault (${faults.map(({ name }) => name).join(', ')}), side by side, and
of one under load (load), into .cache/alerts. \`npm run test:alerts -- --write\` makes the tests of the rules from them.

  --rate N  reports so many changes a second; default 2
  --help    shows this
`;

const scrapeEverySeconds = 15;
/** So many scrapes before, in and after the fault. */
const phases = { before: 6, during: 28, after: 16 };

async function record(name: string, changesPerSecond: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), `herald-${name}-`));
  const fault = faults.find((each) => each.name === name);
  {
    await using stage = await openStage(dataDir, { changesPerSecond, retryEvery: '1m' });
    const scrapes: Recording['scrapes'] = [];
    const startedAt = performance.now();
    const take = async (count: number): Promise<void> => {
      const end = scrapes.length + count;
      while (scrapes.length < end) {
        const dueMs = scrapes.length * scrapeEverySeconds * 1_000;
        await sleep(Math.max(0, startedAt + dueMs - performance.now()));
        scrapes.push(await scrape(stage.metricsPorts));
      }
    };
    await take(phases.before);
    const heal = await fault?.inflict(stage);
    await take(phases.during);
    await heal?.();
    await take(phases.after);
    const recording: Recording = { name, scrapeEverySeconds, phases, scrapes };
    await mkdir(recordingsFolder, { recursive: true });
    await writeFile(join(recordingsFolder, `${name}.json`), JSON.stringify(recording));
    const answers = JSON.stringify(Object.fromEntries(stage.load.answers));
    process.stdout.write(`${name}: recorded; answers ${answers}\n`);
  }
  await rm(dataDir, { recursive: true });
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { rate: { type: 'string', default: '2' } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : faults.map(({ name }) => name);
  await Promise.all(names.map((name) => record(name, Number(values.rate))));
}, help);
process.exit();
