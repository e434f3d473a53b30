// The dashboards in deploy/grafana use only existing metrics, and describe what they show.
import { expect, test } from 'vitest';
import { readDashboards } from '../../../dev/alerts/dashboards.ts';
import { unknownIn } from '../../../dev/alerts/known-metrics.ts';

test('every panel uses existing metrics and labels', () => {
  const expressions = readDashboards().flatMap((panels) =>
    panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  );
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.flatMap(unknownIn)).toEqual([]);
});

test('every panel has a unique title, a description and a query', () => {
  for (const panels of readDashboards()) {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { description, targets } of panels) {
      expect(description).toMatch(/\.$/);
      expect(targets).not.toEqual([]);
    }
  }
});
