// Finds Prometheus' tool, or extracts it from Debian's package, without root.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrInstall } from '../servers/find-or-install.ts';
import { runProgram } from '../servers/run-program.ts';

const timeoutMs = 5 * 60_000;

/** Throws one sentence if it is neither installed nor available. It needs Prometheus 2.42 or newer. */
export function findPromtool(progress: (line: string) => void): Promise<string> {
  const how = "unpacking Debian's package prometheus";
  const help = 'Install Prometheus.';
  const wanted = { name: 'promtool', version: 'debian', how, help, make: unpackPackage };
  return findOrInstall(wanted, { env: process.env, progress });
}

async function unpackPackage(staging: string): Promise<string> {
  // apt-get downloads into the current folder.
  await runProgram('sh', ['-c', 'cd "$0" && apt-get download prometheus', staging], { timeoutMs });
  const [archive = ''] = await readdir(staging);
  await runProgram('dpkg', ['-x', join(staging, archive), staging], { timeoutMs });
  return join(staging, 'usr', 'bin', 'promtool');
}
