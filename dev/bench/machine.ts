import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Document } from 'mongodb';
import type { Service } from './service.ts';

export type Machine = ReturnType<typeof readMachine> & Awaited<ReturnType<typeof readVersions>>;

/** Describes this machine. Must be called before the bench creates load. */
export function readMachine() {
  return {
    measuredAt: new Date().toISOString(),
    cores: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    // The load of the minute before. More than a little distorts the results.
    loadBefore: loadavg()[0] ?? 0,
    node: process.version,
    commit: readCommit(),
  };
}

export async function readVersions({ store, temporal }: Service) {
  const build: Document = await store.client.db('admin').command({ buildInfo: 1 });
  const system = await temporal.connection.workflowService.getSystemInfo({});
  return { mongodb: String(build['version']), temporal: system.serverVersion };
}

// With `+` if files differ from the commit. Null outside a checkout.
function readCommit(): string | null {
  const options = { encoding: 'utf8' as const, stdio: 'pipe' as const };
  try {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim();
    const changes = execFileSync('git', ['status', '--porcelain'], options).trim();
    return changes === '' ? commit : `${commit}+`;
  } catch {
    return null;
  }
}
