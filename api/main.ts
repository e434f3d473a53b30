// The api process. Telemetry is imported first, so that everything else is measured.
import { readConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { withTelemetry } from '../lib/telemetry/with-telemetry.ts';
import { startApi } from './start-api.ts';

await runProcess('api', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'api', ...config.shown }, 'process.starting');
  return withTelemetry('api', config.telemetry, () => startApi(config));
});
