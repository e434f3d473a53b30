// The worker process: telemetry first, so that nothing of the rest goes unmeasured.
import { readConfig, summarizeConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { withTelemetry } from '../lib/telemetry/with-telemetry.ts';
import { createDeliveryWorker } from './create-delivery-worker.ts';

await runProcess('worker', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'worker', ...summarizeConfig(config) }, 'process.starting');
  return withTelemetry('worker', config.telemetry, () => createDeliveryWorker(config));
});
