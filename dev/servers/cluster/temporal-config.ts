// The settings of the processes of a Temporal server on PostgreSQL.
import { postgresUser } from './postgres.ts';

type TemporalRole = 'frontend' | 'history' | 'matching' | 'worker';

export interface TemporalNode {
  readonly name: string;
  readonly role: TemporalRole;
  readonly grpcPort: number;
  readonly membershipPort: number;
}

/** Fixed for the life of the data. Four for each of the three history processes. */
const historyShards = 12;
export const databases = { main: 'temporal', visibility: 'temporal_visibility' } as const;

/** Returns the configuration of one process, as JSON, which is also YAML. Processes find each other in the database. */
export function configOf(
  node: TemporalNode,
  { nodes, postgresPort, dynamicConfigPath }: ConfigFacts,
): string {
  const sqlStore = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: postgresUser,
      password: '',
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const frontend = nodes.find(({ role }) => role === 'frontend');
  const services = [...nodes, node].map(({ role, grpcPort, membershipPort }) => [
    role,
    { rpc: { grpcPort, membershipPort, bindOnIP: '127.0.0.1' } },
  ]);
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: {
        default: sqlStore(databases.main, 15),
        visibility: sqlStore(databases.visibility, 4),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${frontend?.grpcPort}`,
        },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfigPath, pollInterval: '10s' },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

interface ConfigFacts {
  readonly nodes: readonly TemporalNode[];
  readonly postgresPort: number;
  readonly dynamicConfigPath: string;
}

/** Returns the settings that a running server reloads, as JSON, which is also YAML. */
export function dynamicConfig(values: Readonly<Record<string, string | number | boolean>>): string {
  const settings = Object.entries(values).map(([name, value]) => [name, [{ value }]]);
  return `${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`;
}
