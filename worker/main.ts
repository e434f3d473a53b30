// The worker process. Telemetry starts first, so that everything else is measured.
import { readConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { withTelemetry } from '../lib/telemetry/with-telemetry.ts';
import { createDeliveryWorker } from './create-delivery-worker.ts';

await runProcess('worker', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'worker', ...config.shown }, 'process.starting');
  return withTelemetry('worker', config.telemetry, () => createDeliveryWorker(config));
});
