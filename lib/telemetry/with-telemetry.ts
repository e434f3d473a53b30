import type { RunningRole } from '../platform/run-process.ts';
import { processLog } from '../platform/logger.ts';
import { type Role, startTelemetry, type TelemetrySettings } from './start-telemetry.ts';

/** Starts telemetry, then the role, and stops them in reverse order. */
export async function withTelemetry(
  role: Role,
  settings: TelemetrySettings,
  start: () => Promise<RunningRole>,
): Promise<RunningRole> {
  const telemetry = await startTelemetry(role, settings);
  const { metricsPort } = telemetry;
  if (metricsPort !== null) processLog.info({ role, metricsPort }, 'metrics.listening');
  try {
    const running = await start();
    return {
      ...running,
      async [Symbol.asyncDispose]() {
        await running[Symbol.asyncDispose]();
        await telemetry[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await telemetry[Symbol.asyncDispose]();
    throw error;
  }
}
