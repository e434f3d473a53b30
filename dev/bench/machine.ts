// On what the figures were measured: without it they say nothing.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Document } from 'mongodb';
import type { Service } from './service.ts';

export interface Machine {
  measuredAt: string;
  cores: number;
  cpuModel: string;
  memoryGb: number;
  /** Load average of the last minute before the bench began: more than a little spoils the figures. */
  loadBefore: number;
  node: string;
  mongodb: string;
  temporal: string;
  /** The commit, with `+` behind it where files differ from it; null outside a checkout. */
  commit: string | null;
}

/** Reads the facts of this machine. Take it before the bench makes a load of its own. */
export function readMachine(): Omit<Machine, 'mongodb' | 'temporal'> {
  return {
    measuredAt: new Date().toISOString(),
    cores: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0] ?? 0,
    node: process.version,
    commit: readCommit(),
  };
}

/** Asks the servers for their versions. */
export async function readVersions(
  service: Service,
): Promise<Pick<Machine, 'mongodb' | 'temporal'>> {
  const build: Document = await service.store.client.db('admin').command({ buildInfo: 1 });
  const system = await service.temporal.connection.workflowService.getSystemInfo({});
  return { mongodb: String(build['version']), temporal: system.serverVersion };
}

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
