// A real Prometheus with the shipped rules watches a real service: each fault raises its alert, alone, and it clears;
// in a quiet hour none fires.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disposal } from '../../lib/platform/disposal.ts';
import { type Fault, faults } from '../../dev/alerts/faults.ts';
import { findPrometheus } from '../../dev/alerts/prometheus-programs.ts';
import { type RunningPrometheus, startPrometheus } from '../../dev/alerts/prometheus-server.ts';
import { shorten } from '../../dev/alerts/shorten.ts';
import { openStage, type Stage } from '../../dev/alerts/stage.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';

/** How much faster the rules are. More, and the backlog, which is read every 15 s, would look old to them. */
const factor = 6;
/** What is not faster: the reads of backlog and servers, scrapes, and a busy machine. */
const slackMs = 30_000;
const scrapeEverySeconds = 3;
const quietMinutes = soakShare(60);
const quietChangesPerSecond = 5;

const progress = (line: string): void => void process.stdout.write(`${line}\n`);
const programs = await findPrometheus(progress).catch((error: unknown) => {
  progress(String(error));
  return null;
});

interface Watched {
  stage: Stage;
  prometheus: RunningPrometheus;
}

interface Watching {
  changesPerSecond: number;
  /** The rules, as the service ships them or faster. */
  rules: string;
}

async function watchService(
  open: Disposal,
  { changesPerSecond, rules }: Watching,
): Promise<Watched> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-alerts-'));
  open.defer(() => rm(folder, { recursive: true }));
  const options = { changesPerSecond, retryEvery: '10s' };
  const stage = open.use(await openStage(join(folder, 'service'), options));
  const { metricsPorts } = stage;
  const prometheus = open.use(
    await startPrometheus({
      binary: programs?.prometheus ?? '',
      folder: join(folder, 'prometheus'),
      rules,
      metricsPorts,
      scrapeEverySeconds,
    }),
  );
  const up = 'count(herald_dependency_up == 1)';
  await waitFor(async () => (await prometheus.value(up)) === 4, { what: 'every process scraped' });
  await waitFor(async () => (await prometheus.firing()).length === 0, { what: 'no alert' });
  return { stage, prometheus };
}

async function expectAlert({ stage, prometheus }: Watched, fault: Fault): Promise<void> {
  const seen = new Set<string>();
  const isFiring = async (): Promise<boolean> => {
    const firing = await prometheus.firing();
    for (const name of firing) seen.add(name);
    return firing.includes(fault.alert);
  };
  const within = (seconds: number): number => (seconds * 1_000) / factor + slackMs;
  const startedAt = performance.now();
  const heal = await fault.inflict(stage);
  try {
    await waitFor(isFiring, {
      timeoutMs: within(fault.firesWithinSeconds),
      what: `${fault.alert} in ${fault.name}`,
      state: () => [...seen],
    });
  } finally {
    await heal();
  }
  const healedAt = performance.now();
  await waitFor(async () => !(await isFiring()), {
    timeoutMs: within(fault.clearsWithinSeconds),
    what: `the end of ${fault.alert}`,
  });
  const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(0);
  progress(
    `${fault.name}: ${fault.alert} while ${seconds(startedAt, healedAt)} s, ` +
      `cleared after ${seconds(healedAt, performance.now())} s`,
  );
  expect([...seen]).toEqual([fault.alert]);
}

const shippedRules = await readFile('deploy/prometheus/rules.yml', 'utf8');

const courses = [
  ['receiver-down', 'worker-stopped', 'worker-starved'],
  ['relay-only', 'temporal-stopped', 'mongodb-stopped'],
];

test('every fault is in a course', () => {
  expect(courses.flat().toSorted()).toEqual(faults.map(({ name }) => name).toSorted());
});

// Side by side, because they mostly wait.
test.concurrent.for(programs === null ? [] : courses)(
  'each fault of %j raises its alert alone, which clears after it',
  { timeout: 600_000 },
  async (names) => {
    const open = new Disposal();
    try {
      const rules = shorten(shippedRules, factor);
      const watched = await watchService(open, { changesPerSecond: 2, rules });
      for (const name of names) {
        const fault = faults.find((each) => each.name === name);
        if (fault !== undefined) await expectAlert(watched, fault);
      }
    } finally {
      await open[Symbol.asyncDispose]();
    }
  },
);

test.skipIf(programs === null)(
  `no alert fires in ${quietMinutes} quiet minutes with ${quietChangesPerSecond} changes a second`,
  { timeout: quietMinutes * 90_000 + 120_000 },
  async () => {
    await using open = new Disposal();
    const { stage, prometheus } = await watchService(open, {
      changesPerSecond: quietChangesPerSecond,
      rules: shippedRules,
    });
    const changes = quietMinutes * 60 * quietChangesPerSecond;
    const accepted = (): number => stage.load.answers.get('202') ?? 0;
    await waitFor(() => accepted() >= changes, {
      timeoutMs: quietMinutes * 90_000,
      what: `${changes} accepted changes`,
      state: () => [...stage.load.answers],
    });
    expect([...stage.load.answers.keys()]).toEqual(['202']);
    // Also one that has cleared since.
    const fired = `count(max_over_time(ALERTS{alertstate="firing"}[${quietMinutes * 2}m]))`;
    expect(await prometheus.value(fired)).toBeNull();
    const pending = `count(max_over_time(ALERTS[${quietMinutes * 2}m]))`;
    progress(`alerts that were pending for a while: ${(await prometheus.value(pending)) ?? 0}`);
  },
);

test.skipIf(programs !== null)('Prometheus is neither on PATH nor to be had', ({ skip }) =>
  skip('see the first line of the output'),
);
