// A Prometheus that scrapes the processes of a stage.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { pickPort } from '../servers/free-port.ts';
import { startGuarded } from '../servers/guarded-process.ts';
import { startTimeoutMs, waitUntilReady } from '../servers/wait-until-ready.ts';
import { type Role, roles } from './stage.ts';

interface PrometheusOptions {
  binary: string;
  folder: string;
  rules: string;
  metricsPorts: Record<Role, number>;
  scrapeEverySeconds: number;
}

export interface RunningPrometheus extends AsyncDisposable {
  /** Returns the names of the alerts that fire now, in order. */
  firing(): Promise<string[]>;
  /** Returns the value of a query's first result, or null. */
  value(query: string): Promise<number | null>;
}

interface Answer {
  data: {
    alerts: { state: string; labels: { alertname: string } }[];
    result: { value: [number, string] }[];
  };
}

/** Returns once it answers. */
export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const { binary, folder } = options;
  const port = await pickPort(0);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'rules.yml'), options.rules);
  const configPath = join(folder, 'prometheus.yml');
  await writeFile(configPath, stringify(configOf(options)));
  const server = await startGuarded({
    name: 'prometheus',
    binary,
    args: [
      `--config.file=${configPath}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    logFile: join(folder, 'prometheus.log'),
  });
  try {
    const check = async (): Promise<true> => {
      const { ok, status } = await fetch(`http://127.0.0.1:${port}/-/ready`);
      if (!ok) throw new Error(`Prometheus answers ${status}`);
      return true;
    };
    await waitUntilReady(server, { check, timeoutMs: startTimeoutMs });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const ask = async (path: string): Promise<Answer['data']> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    if (!response.ok) throw new Error(`Prometheus answers ${response.status} to ${path}`);
    return ((await response.json()) as Answer).data;
  };
  return {
    async firing() {
      const { alerts } = await ask('alerts');
      const firing = alerts.filter(({ state }) => state === 'firing');
      return [...new Set(firing.map(({ labels }) => labels.alertname))].toSorted();
    },
    async value(query) {
      const { result } = await ask(`query?query=${encodeURIComponent(query)}`);
      return result[0] === undefined ? null : Number(result[0].value[1]);
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function configOf({ metricsPorts, scrapeEverySeconds }: PrometheusOptions): object {
  const every = `${scrapeEverySeconds}s`;
  return {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['rules.yml'],
    scrape_configs: roles.map((role) => ({
      job_name: `agent-herald-${role}`,
      static_configs: [{ targets: [`127.0.0.1:${metricsPorts[role]}`] }],
    })),
  };
}
