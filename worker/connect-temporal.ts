import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Config } from '../lib/config/config.ts';
import { checkNamespace, unreachable } from '../lib/temporal/check-namespace.ts';
import { linkingToConsole } from '../lib/temporal/console-links.ts';
import { temporalLog } from '../lib/platform/logger.ts';
import { bufferTemporalMetrics } from './temporal-metrics.ts';

/** Dispose of it after its workers have stopped. */
export interface Temporal extends AsyncDisposable {
  connection: NativeConnection;
  client: Client;
  namespace: string;
}

interface TemporalOptions {
  /** Whether the metrics of the process include those of the SDK. */
  measures?: boolean;
  /** The URL of the console; if set, workflows link to it. */
  publicUrl?: string;
}

// Workflows and activities have separate workers by design.
const expectedWarnings: ReadonlySet<string> = new Set([
  'No activities registered, not polling for activity tasks',
  'No workflows registered, not polling for workflow tasks',
]);

let runtimeInstalled = false;

/**
 * Sends the SDK's log lines to the logger of the process and, if they are used, its metrics to those of the process.
 * Runs once per process; run-process.ts handles signals.
 */
export function installRuntime({ measures } = { measures: false }): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  Runtime.install({
    shutdownSignals: [],
    // Without `forward`, the native code prints plain text between our JSON lines.
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
 * Connects to Temporal; throws one clear sentence if the server or the namespace cannot be reached. The client shares
 * the native connection of the workers, because only there an eager start returns the first task.
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
