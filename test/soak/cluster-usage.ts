// The cost of an event to the servers of a cluster: processor time, bytes and syncs of journals, network.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import type { Cluster } from '../../dev/servers/cluster/cluster.ts';
import { runProgram } from '../../dev/servers/run-program.ts';
import { readUsage } from '../../dev/bench/process-usage.ts';

/** Sums since the start of the servers, by name. */
type Reading = Readonly<Record<string, number>>;

const psqlTimeoutMs = 10_000;
const walQuery = 'select wal_bytes, wal_sync, wal_write from pg_stat_wal';

/** Reads the sums. `roles` are the process IDs of other processes to measure. */
export async function readCosts(
  cluster: Cluster,
  roles: Readonly<Record<string, number>>,
): Promise<Reading> {
  const primary = await cluster.mongodb.primary();
  const pidsOf = (prefix: string): number[] =>
    cluster.members.flatMap(({ name, pid }) => (name.startsWith(prefix) && pid ? [pid] : []));
  const secondaries = pidsOf('mongod').filter((pid) => pid !== primary.pid);
  const groups = {
    ...Object.fromEntries(Object.entries(roles).map(([name, pid]) => [name, [pid]])),
    primary: [primary.pid ?? 0],
    secondaries,
    postgres: pidsOf('postgres').flatMap(withChildren),
    history: pidsOf('temporal-history'),
    frontend: pidsOf('temporal-frontend'),
    matching: pidsOf('temporal-matching'),
  };
  const usage = readUsage(groups);
  const cpu = Object.entries(usage).map(([name, { cpuMs }]) => [`${name} cpuMs`, cpuMs]);
  return {
    ...(Object.fromEntries(cpu) as Reading),
    ...(await readMongodb(cluster.mongodb.uri)),
    ...(await readPostgres(cluster.postgres)),
    'primary disk bytes': writtenBytes(groups.primary),
  };
}

/** Returns the costs between two readings, divided by the number of events. */
export function costsEach(before: Reading, after: Reading, events: number): Reading {
  const each = Object.entries(after).map(([name, sum]) => {
    const perEvent = (sum - (before[name] ?? 0)) / Math.max(1, events);
    return [name, Math.round(perEvent * 100) / 100] as const;
  });
  return Object.fromEntries(each);
}

async function readMongodb(uri: string): Promise<Reading> {
  const client = await MongoClient.connect(uri);
  try {
    const status: Document = await client.db('admin').command({ serverStatus: 1 });
    const oplog: Document = await client.db('local').command({ collStats: 'oplog.rs' });
    const wiredTiger = status['wiredTiger'] as Record<string, Record<string, number>>;
    const { log = {}, 'block-manager': blocks = {} } = wiredTiger;
    const network = status['network'] as Record<string, number>;
    return {
      'oplog bytes': Number(oplog['size']),
      'journal bytes': Number(log['log bytes written']),
      'journal syncs': Number(log['log sync operations']),
      'data blocks': Number(blocks['blocks written']),
      'data bytes': Number(blocks['bytes written']),
      'primary bytes in': Number(network['bytesIn']),
      'primary bytes out': Number(network['bytesOut']),
    };
  } finally {
    await client.close();
  }
}

async function readPostgres({ port, user, programs }: Cluster['postgres']): Promise<Reading> {
  const where = ['-h', '127.0.0.1', '-p', String(port), '-U', user, '-d', 'postgres'];
  const printed = await runProgram(join(programs, 'psql'), [...where, '-Atc', walQuery], {
    timeoutMs: psqlTimeoutMs,
  });
  const [bytes = 0, syncs = 0, writes = 0] = printed.trim().split('|').map(Number);
  return { 'wal bytes': bytes, 'wal syncs': syncs, 'wal writes': writes };
}

/** Includes child processes, because PostgreSQL has a process per connection. */
function withChildren(parent: number): number[] {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === parent,
  );
  return [parent, ...children.map(Number)];
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended in the meantime.
    return null;
  }
}

function writtenBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const io = readFileSync(`/proc/${pid}/io`, 'utf8');
    return sum + Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0);
  }, 0);
}
