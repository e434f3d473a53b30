// The dashboards in deploy/grafana, in the format that Grafana exports and imports.
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
