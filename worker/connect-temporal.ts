import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Config } from '../lib/config/config.ts';
import { checkNamespace, unreachable } from '../lib/temporal/check-namespace.ts';
import { linkingToConsole } from '../lib/temporal/console-links.ts';
import { temporalLog } from '../lib/platform/logger.ts';
import { bufferTemporalMetrics } from './temporal-metrics.ts';

/** Dispose of it after the workers on it have stopped. */
export interface Temporal extends AsyncDisposable {
  connection: NativeConnection;
  client: Client;
  namespace: string;
}

interface TemporalOptions {
  /** Whether the SDK's metrics join those of the process. */
  measures?: boolean;
  /** Where the console is, to which workflows then have links. */
  publicUrl?: string;
}

// By design: workflows and activities have separate workers.
const expectedWarnings: ReadonlySet<string> = new Set([
  'No activities registered, not polling for activity tasks',
  'No workflows registered, not polling for workflow tasks',
]);

let runtimeInstalled = false;

/**
 * Sends the SDK's log lines through the process's logger, and its metrics to those of the process where somebody gets
 * them; once a process. run-process.ts handles signals.
 */
export function installRuntime({ measures } = { measures: false }): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  Runtime.install({
    shutdownSignals: [],
    // Without `forward` the native half prints its lines as text between our lines of JSON.
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(measures
        ? { metrics: { buffer: bufferTemporalMetrics(), attachServiceName: false } }
        : {}),
    },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (expectedWarnings.has(message)) return;
      const { error, ...rest } = meta ?? {};
      const fields = { message, ...rest, err: error };
      if (level === 'ERROR') temporalLog.error(fields, 'temporal.sdk');
      else temporalLog.warn(fields, 'temporal.sdk');
    }),
  });
}

/**
 * Connects to Temporal; throws one clear sentence when the server or the namespace cannot be reached. The client shares
 * the workers' native connection: an eager start, which returns the first task, works only there.
 */
export async function connectTemporal(
  settings: Config['temporal'],
  { measures = false, publicUrl }: TemporalOptions = {},
): Promise<Temporal> {
  installRuntime({ measures });
  const { address, namespace } = settings;
  const options = { ...settings.connectionOptions, address };
  const connection = await NativeConnection.connect(options).catch((cause: unknown) => {
    throw unreachable(settings, cause);
  });
  try {
    await checkNamespace(connection, settings);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const workflow = publicUrl === undefined ? [] : [linkingToConsole(publicUrl)];
  return {
    connection,
    client: new Client({ connection, namespace, interceptors: { workflow } }),
    namespace,
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
