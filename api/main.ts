// The api process: telemetry first, as the rest imports what it instruments.
import { readConfig, summarizeConfig } from '../lib/config/config.ts';
import { processLog } from '../lib/platform/logger.ts';
import { runProcess } from '../lib/platform/run-process.ts';
import { withTelemetry } from '../lib/telemetry/with-telemetry.ts';

await runProcess('api', async () => {
  const config = readConfig(process.env);
  processLog.info({ role: 'api', ...summarizeConfig(config) }, 'process.starting');
  return withTelemetry('api', config.telemetry, async () => {
    const { startApi } = await import('./start-api.ts');
    return startApi(config);
  });
});
