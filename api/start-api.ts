import type { Config } from '../lib/config/config.ts';
import { Disposal } from '../lib/platform/disposal.ts';
import { processLog } from '../lib/platform/logger.ts';
import type { RunningRole } from '../lib/platform/run-process.ts';
import { connectStore } from '../lib/mongo/connect.ts';
import { startServerClock } from '../lib/mongo/server-clock.ts';
import { connectTemporal } from '../worker/connect-temporal.ts';
import { hasMetrics } from '../lib/telemetry/start-telemetry.ts';
import { watchServers } from '../lib/health/watch-servers.ts';
import { openSender } from '../worker/delivery-ports.ts';
import { openFirstAttempts } from '../worker/first-attempts.ts';
import { createApiContext } from './context.ts';
import { serve } from './serve.ts';

/** Starts HTTP, and a workflow worker on the same connection, which makes first attempts. */
export async function startApi(config: Config): Promise<RunningRole> {
  const open = new Disposal();
  const measures = hasMetrics(config.telemetry);
  try {
    const store = open.use(await connectStore(config.mongodb));
    const temporal = open.use(
      await connectTemporal(config.temporal, { measures, publicUrl: config.http.publicUrl }),
    );
    const clock = open.use(await startServerClock(store));
    const ports = { config, store, temporal, clock };
    const first = config.apiDelivers ? await openFirstAttempts(open, ports) : null;
    const { earlyAttempts = null } = first ?? {};
    const sender = first?.sender ?? open.use(openSender(config));
    const eager = first !== null;
    const context = await createApiContext({ ...ports, sender, eager, earlyAttempts });
    if (measures) {
      const stopping = new AbortController();
      const { connection, namespace } = temporal;
      const watching = watchServers({ store, connection, namespace }, stopping);
      open.defer(async () => {
        stopping.abort();
        await watching;
      });
    }
    const api = open.use(await serve(context));
    // First attempts in flight finish while open requests do.
    open.defer(async () => first?.stop());
    processLog.info({ role: 'api', port: api.port }, 'process.listening');
    const failed = first?.failed ?? new Promise(() => undefined);
    const stop = (): Promise<void> => open[Symbol.asyncDispose]();
    return { failed, drain: () => api.drain(), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}
