// The dashboards in deploy/grafana: they are what dev/dashboards describes, and use only what there is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unknownIn } from '../../../dev/alerts/known-metrics.ts';
import { toGrafana } from '../../../dev/dashboards/dashboard.ts';
import { dashboards } from '../../../dev/dashboards/dashboards.ts';

const folder = 'deploy/grafana/dashboards';

test('each file is what npm run dashboards writes', () => {
  expect(readdirSync(folder)).toEqual(dashboards.map(({ uid }) => `${uid}.json`).toSorted());
  for (const dashboard of dashboards) {
    const file: unknown = JSON.parse(readFileSync(join(folder, `${dashboard.uid}.json`), 'utf8'));
    expect(file).toEqual(toGrafana(dashboard, dashboards));
  }
});

test('every panel uses metrics and labels that there are', () => {
  const expressions = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ queries }) => Object.values(queries)),
  );
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.flatMap(unknownIn)).toEqual([]);
});

test('every panel has a title of its own, a description and a query', () => {
  for (const { panels } of dashboards) {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { description, queries } of panels) {
      expect(description).toMatch(/\.$/);
      expect(Object.keys(queries)).not.toEqual([]);
    }
  }
});
