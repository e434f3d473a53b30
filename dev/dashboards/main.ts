// `npm run dashboards`: writes deploy/grafana/dashboards.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../lib/platform/run-command.ts';
import { toGrafana } from './dashboard.ts';
import { dashboards } from './dashboards.ts';

await runCommand(async () => {
  for (const dashboard of dashboards) {
    const path = new URL(`../../deploy/grafana/dashboards/${dashboard.uid}.json`, import.meta.url);
    const text = JSON.stringify(toGrafana(dashboard, dashboards), null, 2);
    await writeFile(fileURLToPath(path), `${text}\n`);
  }
}, 'Usage: npm run dashboards\n\nWrites the dashboards in deploy/grafana from dev/dashboards.\n');
