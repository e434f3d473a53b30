// The dashboards in deploy/grafana: they are what dev/dashboards describes, and use only what there is.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unknownIn } from '../../../dev/alerts/known-metrics.ts';
import { dashboards } from '../../../dev/dashboards/dashboards.ts';

const folder = 'deploy/grafana/dashboards';

test('no file is of a dashboard that is gone', () => {
  expect(readdirSync(folder)).toEqual(dashboards.map(({ uid }) => `${uid}.json`).toSorted());
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
