// Runs Schemathesis as one caller, and reports its findings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../python/environment.ts';
import type { Caller } from './callers.ts';

export const environment = 'fuzz';
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const requirements = fileOf('requirements.txt');

export interface Effort {
  readonly phases: string;
  /** Whether to send invalid data, too, or only what the contract allows. */
  readonly mode: 'all' | 'positive';
  /** The maximum cases per call, in the phases that generate cases. */
  readonly examplesMax: number;
  readonly secondsMax?: number;
}

interface Run {
  readonly apiUrl: string;
  readonly seed: number;
  /** The folder for its files. */
  readonly folder: string;
}

interface Report {
  test_cases: { generated: number; unique_failures: number };
  errors: { title: string; count: number }[];
  exit_code: number;
}

/** Shows its output. Throws if it did not run to its end. */
export async function fuzzAs(
  caller: Caller,
  { phases, mode, examplesMax, secondsMax }: Effort,
  { apiUrl, seed, folder }: Run,
): Promise<{ cases: number; findings: number }> {
  const config = join(folder, 'schemathesis.toml');
  const report = join(folder, 'report.json');
  // A report of another caller must not be taken for this one's.
  await rm(report, { force: true });
  await writeFile(config, (await readFile(fileOf('schemathesis.toml'), 'utf8')) + configOf(caller));
  const args = [
    `--config-file=${config}`,
    'run',
    `${apiUrl}/openapi.json`,
    `--include-path-regex=^${caller.area}`,
    `--phases=${phases}`,
    `--mode=${mode}`,
    `--max-examples=${examplesMax}`,
    ...(secondsMax === undefined ? [] : [`--max-time=${secondsMax}`]),
    `--seed=${seed}`,
    '--report=json',
    `--report-json-path=${report}`,
  ];
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: fileOf('hooks.py'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(programOf(environment, 'schemathesis'), args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    cwd: folder,
    env,
  });
  const [code] = (await once(child, 'close')) as [number | null];
  // 1 means that it found something.
  if (code !== 0 && code !== 1) throw new Error(`Schemathesis ended with ${code}`);
  const { test_cases: counts, errors } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const faults = errors.reduce((sum, { count }) => sum + count, 0);
  return { cases: counts.generated, findings: counts.unique_failures + faults };
}

function configOf({ appUid, credentials }: Caller): string {
  const schemes = Object.entries(credentials).map(
    ([name, value]) => `${name} = { api_key = ${JSON.stringify(value)} }`,
  );
  return [
    '',
    '[parameters]',
    `"path.appUid" = ${JSON.stringify(appUid)}`,
    ...(schemes.length === 0 ? [] : ['[auth.openapi]', ...schemes]),
    '',
  ].join('\n');
}
