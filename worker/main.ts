// The worker process: telemetry first, as the rest imports what it instruments.
import { readConfig, summarizeConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { withTelemetry } from '../lib/telemetry/with-telemetry.ts';

await runProcess('worker', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'worker', ...summarizeConfig(config) }, 'process.starting');
  return withTelemetry('worker', config.telemetry, async () => {
    const { createDeliveryWorker } = await import('./create-delivery-worker.ts');
    return createDeliveryWorker(config);
  });
});
