// Runs the floor and the scenarios.
import { Disposal } from '../../lib/platform/disposal.ts';
import { measureFloor } from './floor.ts';
import { readMachine, readVersions } from './machine.ts';
import { measure } from './measure.ts';
import { startReceiver } from './receiver.ts';
import { renderFloor, renderMachine, renderScenario, type Report } from './report.ts';
import type { Scenario } from './scenario.ts';
import { type Bench, startService } from './service.ts';
import { type Settings, sized } from './settings.ts';

interface Session {
  settings: Settings;
  scenarios: readonly Scenario[];
  stop: AbortController;
  /** Prints a line of progress. */
  say: (line: string) => void;
  /** Prints a part of the report. */
  print: (part: string) => void;
}

/** Runs the scenarios and returns the report; after an abort, of those measured so far. */
export async function runSession(session: Session): Promise<Report> {
  const { settings, scenarios, print, say } = session;
  const report: Report = {
    machine: { ...readMachine(), mongodb: '?', temporal: '?' },
    settings: { ...settings },
    floor: null,
    scenarios: [],
  };
  const open = new Disposal();
  try {
    const bench = await openBench(open, session);
    await beginReport(report, bench, print);
    await warmUp(bench);
    for (const scenario of scenarios) {
      if (bench.signal.aborted) break;
      report.scenarios.push(await runScenario(scenario, bench, print));
    }
  } catch (error) {
    for (const { name } of scenarios) report.scenarios.push(notMeasured(name, error, say));
  } finally {
    await open[Symbol.asyncDispose]();
  }
  return report;
}

async function beginReport(report: Report, bench: Bench, print: Session['print']): Promise<void> {
  Object.assign(report.machine, await readVersions(bench.service));
  print(renderMachine(report));
  bench.say('measuring the floor');
  report.floor = await measureFloor(bench);
  print(renderFloor(report.floor));
}

async function openBench(open: Disposal, { settings, say, stop }: Session): Promise<Bench> {
  say('starting the service');
  const receiver = open.use(await startReceiver());
  const service = await startService(open, say);
  let isOver = false;
  open.defer(async () => {
    isOver = true;
  });
  void service.lost.then((reason) => isOver || stop.abort(new Error(reason)));
  return {
    service,
    receiver,
    settings,
    signal: stop.signal,
    say,
    groups: () => ({ ...service.groups(), receiver: [receiver.pid], driver: [process.pid] }),
  };
}

// The first hundreds of events of a process cost more than later ones.
async function warmUp(bench: Bench): Promise<void> {
  bench.say('warming up');
  const calls = sized(bench.settings, 500, 50);
  const load = { model: 'closed', callers: 10, calls, secondsMax: 60 } as const;
  const warmUpPlan = { name: 'warm-up', hooks: { matching: 1 }, load };
  const { acknowledged, lost, failures } = await measure(bench, warmUpPlan);
  if (acknowledged === 0 || lost > 0) {
    throw new Error(
      `the service does not work: ${acknowledged} changes acknowledged, ${lost} of them not delivered, ` +
        `failures ${JSON.stringify(failures)}`,
    );
  }
}

async function runScenario(
  scenario: Scenario,
  bench: Bench,
  print: Session['print'],
): Promise<Report['scenarios'][number]> {
  const { name } = scenario;
  try {
    bench.say(`${name}: ${scenario.about}`);
    const result = await scenario.run(bench);
    print(renderScenario(name, result));
    return { name, ...result };
  } catch (error) {
    return notMeasured(name, error, bench.say);
  }
}

function notMeasured(
  name: string,
  error: unknown,
  say: Session['say'],
): Report['scenarios'][number] {
  const reason = error instanceof Error ? error.message : String(error);
  say(`  ${name} could not be measured: ${reason}`);
  return { name, measurements: [], notes: [], error: reason };
}
