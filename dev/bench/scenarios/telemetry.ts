// What metrics and traces cost: services side by side, each under load for a few seconds in turn, so that
// whatever else slows the machine slows all of them.
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { Bench } from '../bench.ts';
import { differBy, isBeyond, meanOf } from '../difference.ts';
import { startHelper } from '../helper-process.ts';
import { measure } from '../measure.ts';
import { show, sumService } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { openService } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

interface Side {
  name: string;
  env: NodeJS.ProcessEnv;
  /** How much more an event may cost than on the first side. */
  shareMax: number;
}

type OpenSide = Side & { bench: Bench; cpuMs: number[] };

const secondsOfTurn = 5;

export const telemetry: Scenario = {
  name: 'telemetry',
  about:
    '20 changes a second for 5 s in turn: without telemetry, with metrics, and with traces of a tenth, too',
  isMain: false,
  needs: 'own',
  async run(bench) {
    const open = new Disposal();
    try {
      const sides: OpenSide[] = [];
      for (const side of await listSides(open)) sides.push(await openSide(open, side, bench));
      await takeTurns(sides, sized(bench.settings, 16, 2));
      return report(sides);
    } finally {
      await open[Symbol.asyncDispose]();
    }
  },
};

async function listSides(open: Disposal): Promise<Side[]> {
  let port = 0;
  open.use(
    await startHelper('collector-process.ts', {
      onMessage: (message) => ({ port } = message as { port: number }),
    }),
  );
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_METRICS_EXPORTER: 'none',
    HERALD_TRACE_SAMPLING: '0.1',
  };
  return [
    { name: 'without telemetry', env: { HERALD_METRICS_PORT: '' }, shareMax: 0 },
    { name: 'with metrics', env: {}, shareMax: 0.02 },
    { name: 'with metrics and traces', env: traced, shareMax: 0.05 },
  ];
}

async function openSide(open: Disposal, side: Side, bench: Bench): Promise<OpenSide> {
  bench.say(`  starting a service ${side.name}`);
  const service = await openService(
    open,
    { servicePath: null, kept: false, env: side.env },
    bench.say,
  );
  const own = { ...bench, service, groups: () => service.groups() };
  const warmUp = { model: 'closed', callers: 10, calls: sized(bench.settings, 500, 50) } as const;
  await measureSoundly(own, { ...warmUp, secondsMax: 60 });
  return { ...side, bench: own, cpuMs: [] };
}

async function takeTurns(sides: readonly OpenSide[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    // There and back, so that no side is always the first.
    for (const { bench, cpuMs } of round % 2 === 0 ? sides : sides.toReversed()) {
      bench.signal.throwIfAborted();
      cpuMs.push(await measureSoundly(bench, openLoad(bench.settings, 20, secondsOfTurn)));
    }
  }
}

async function measureSoundly(
  bench: Bench,
  load: Parameters<typeof measure>[1]['load'],
): Promise<number> {
  const measurement = await measure(bench, { name: 'turn', hooks: { matching: 1 }, load });
  const cpuMs = sumService(measurement.cpuMsPerEvent);
  if (cpuMs === null) throw new Error('the processor time of the service cannot be read');
  if (measurement.lost > 0) throw new Error(`${measurement.lost} deliveries were lost`);
  return cpuMs;
}

function report([without, ...others]: readonly OpenSide[]) {
  if (without === undefined) throw new Error('no service was measured');
  const table = [['', 'CPU ms an event', 'more than without', 'standard error', 'at most']];
  table.push([without.name, show(meanOf(without.cpuMs)), '', '', '']);
  const missed: string[] = [];
  for (const { name, cpuMs, shareMax } of others) {
    const { share, standardError } = differBy(without.cpuMs, cpuMs);
    table.push([
      name,
      show(meanOf(cpuMs)),
      percent(share),
      percent(standardError),
      percent(shareMax),
    ]);
    if (isBeyond({ share, standardError }, shareMax)) {
      missed.push(`${name} an event costs ${percent(share)} more, at most ${percent(shareMax)}`);
    }
  }
  const notes = ['Of api, worker, MongoDB and Temporal; a page of metrics is read every 15 s.'];
  return { measurements: [], table, notes, missed };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
