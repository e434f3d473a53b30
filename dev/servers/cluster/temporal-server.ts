// A Temporal server on PostgreSQL, with a process for each of its services.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { startGuarded } from '../guarded-process.ts';
import { runProgram } from '../run-program.ts';
import { ensureNamespace } from '../temporal-namespace.ts';
import { fewShardsConfig } from '../temporal.ts';
import { startTimeoutMs, waitForPort, waitUntilReady } from '../wait-until-ready.ts';
import { Member } from './member.ts';
import { postgresUser } from './postgres.ts';
import { configOf, databases, dynamicConfig, type TemporalNode } from './temporal-config.ts';

const roles = ['frontend', 'history', 'history', 'history', 'matching', 'worker'] as const;
/** Each node listens for calls and for the other nodes. */
export const temporalPortCount = 2 * roles.length;

const firstToStart = 'temporal-history-1';
const schemas = { main: 'temporal', visibility: 'visibility' } as const;
const schemaTimeoutMs = 120_000;
const connectTimeoutMs = 2000;

interface TemporalServerOptions {
  readonly open: Disposal;
  readonly binary: string;
  readonly folder: string;
  readonly ports: readonly number[];
  readonly postgresPort: number;
  readonly namespaces: readonly string[];
}

interface TemporalServer {
  readonly address: string;
  readonly members: readonly Member[];
}

/** Creates the tables in an empty PostgreSQL. */
export async function makeTemporalTables(sqlTool: string, postgresPort: number): Promise<void> {
  const endpoint = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(postgresPort)];
  for (const name of ['main', 'visibility'] as const) {
    const tool = (...args: string[]): Promise<string> =>
      runProgram(sqlTool, [...endpoint, '-u', postgresUser, '--db', databases[name], ...args], {
        timeoutMs: schemaTimeoutMs,
      });
    await tool('create-database');
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${schemas[name]}`);
  }
}

/** Returns once workflows can start in all namespaces. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const nodes = nodesOf(options.ports);
  const members = await Promise.all(nodes.map((node) => nodeMember(options, node, nodes)));
  for (const member of members) options.open.use(member);
  // If several wrote the cluster's first record, one would fail.
  const isFirst = ({ name }: Member): boolean => name === firstToStart;
  await members.find(isFirst)?.start();
  await Promise.all(members.filter((member) => !isFirst(member)).map((member) => member.start()));
  const frontend = nodes.find(({ role }) => role === 'frontend');
  const address = `127.0.0.1:${frontend?.grpcPort}`;
  const connection = await Connection.connect({ address });
  try {
    for (const namespace of options.namespaces) await ensureNamespace(connection, namespace);
  } finally {
    await connection.close();
  }
  return { address, members };
}

function nodesOf(ports: readonly number[]): TemporalNode[] {
  return roles.map((role, index) => {
    const number = roles.slice(0, index + 1).filter((each) => each === role).length;
    return {
      name: role === 'history' ? `temporal-history-${number}` : `temporal-${role}`,
      role,
      grpcPort: ports[2 * index] ?? 0,
      membershipPort: ports[2 * index + 1] ?? 0,
    };
  });
}

async function nodeMember(
  { binary, folder, postgresPort }: TemporalServerOptions,
  node: TemporalNode,
  nodes: readonly TemporalNode[],
): Promise<Member> {
  const ownFolder = join(folder, node.name);
  await mkdir(ownFolder, { recursive: true });
  const dynamicConfigPath = join(ownFolder, 'dynamic-config.yaml');
  await writeFile(dynamicConfigPath, dynamicConfig(fewShardsConfig));
  const configPath = join(ownFolder, 'config.yaml');
  await writeFile(configPath, configOf(node, { nodes, postgresPort, dynamicConfigPath }));
  return new Member({
    name: node.name,
    spawn: () =>
      startGuarded({
        name: node.name,
        binary,
        args: ['--config-file', configPath, '--allow-no-auth', 'start', '--service', node.role],
        logFile: join(ownFolder, 'temporal.log'),
      }),
    ready: async (server) => {
      // Nobody calls the worker.
      if (node.role === 'worker') return;
      await waitForPort(server, node.grpcPort);
      if (node.role !== 'frontend') return;
      const address = `127.0.0.1:${node.grpcPort}`;
      const connection = await waitUntilReady(server, {
        check: () => Connection.connect({ address, connectTimeout: connectTimeoutMs }),
        timeoutMs: startTimeoutMs,
      });
      await connection.close();
    },
  });
}
