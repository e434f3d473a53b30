import { readConfig, summarizeConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { createDeliveryWorker } from './create-delivery-worker.ts';

await runProcess('worker', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'worker', ...summarizeConfig(config) }, 'process.starting');
  return createDeliveryWorker(config);
});
