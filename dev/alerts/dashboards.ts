// The dashboards in deploy/grafana, which Grafana exports and imports as they are.
import { readdirSync, readFileSync } from 'node:fs';

export interface Panel {
  title: string;
  description: string;
  targets: { expr: string }[];
}

const folder = 'deploy/grafana/dashboards';

/** Returns the panels of each dashboard. */
export function readDashboards(): Panel[][] {
  return readdirSync(folder).map((name) => {
    const { panels } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as { panels: Panel[] };
    return panels;
  });
}
