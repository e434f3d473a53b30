import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { pickPort } from '../../servers/free-port.ts';
import { superviseChild } from '../../start/child-process.ts';
import type { Bench } from '../bench.ts';
import { measure, type Measurement, type Plan } from '../measure.ts';
import type { ProcessGroups } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import type { Service } from '../service.ts';
import { crowdLoad, sized } from '../settings.ts';

const counts = [1, 2, 4] as const;

export const scale: Scenario = {
  name: 'scale',
  about: '2,000 changes by 50 callers, with 1, 2 and 4 api and worker processes',
  isMain: false,
  needs: 'own',
  async run(bench) {
    const { service, settings } = bench;
    const open = new Disposal();
    const extra: Extra = { pids: { api: [], worker: [] }, apiUrls: [service.apiUrl] };
    const wider: Bench = { ...bench, groups: () => withExtra(bench.groups(), extra) };
    const measurements: Measurement[] = [];
    try {
      for (const count of counts) {
        while (extra.apiUrls.length < count) await addProcesses(open, service, extra);
        const plan = (calls: number): Plan => ({
          name: `${count} api, ${count} worker`,
          hooks: { matching: 1 },
          load: crowdLoad(settings, calls),
          apiUrls: extra.apiUrls,
        });
        // New processes are slow: not measured.
        await measure(wider, plan(count * sized(settings, 500, 100)));
        measurements.push(await measure(wider, plan(sized(settings, 2_000, 200))));
      }
    } finally {
      await open[Symbol.asyncDispose]();
    }
    const notes = ['Driver, receiver and servers share the same processor cores.'];
    return { measurements, notes };
  },
};

interface Extra {
  pids: { api: number[]; worker: number[] };
  apiUrls: string[];
}

async function addProcesses(open: Disposal, service: Service, extra: Extra): Promise<void> {
  const port = await pickPort(0);
  const number = extra.apiUrls.length + 1;
  for (const role of ['api', 'worker'] as const) {
    const child = await superviseChild({
      name: `${role} ${number}`,
      args: readArguments(service, role),
      env: { ...service.env, PORT: String(port) },
      logPath: join(service.dataDir, 'logs', `${role}-${number}.log`),
      progress: () => undefined,
      onStart: (pid) => extra.pids[role].push(pid),
    });
    open.use(child);
  }
  extra.apiUrls.push(`http://localhost:${port}`);
}

// As the first process of the role was started.
function readArguments(service: Service, role: string): string[] {
  const [pid = 0] = service.groups()[role] ?? [];
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return args.filter((argument) => argument !== '');
}

function withExtra(groups: ProcessGroups, { pids }: Extra): ProcessGroups {
  return {
    ...groups,
    api: [...(groups['api'] ?? []), ...pids.api],
    worker: [...(groups['worker'] ?? []), ...pids.worker],
  };
}
