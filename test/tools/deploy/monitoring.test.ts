// The rules in deploy/prometheus and the dashboards in deploy/grafana: what they use exists, and is described. promtool tests
// the behaviour of the rules.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readDashboards } from '../../../dev/alerts/dashboards.ts';
import { unknownIn } from '../../../dev/alerts/known-metrics.ts';

interface Rule {
  alert?: string;
  expr: string;
  labels?: { severity: string };
  annotations?: { summary: string; runbook_url: string };
}

const text = readFileSync('deploy/prometheus/rules.yml', 'utf8');
const { groups } = parse(text) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule) => rule.alert !== undefined);
const headings = readFileSync('docs/runbooks.md', 'utf8').match(/(?<=^## ).*$/gm) ?? [];

test('every rule uses existing metrics and labels', () => {
  expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
});

test.each([
  ['rate(herald_events_started_total{by="relay"}[5m])', []],
  [
    'herald_events_started{by="relay"}',
    ['there is no herald_events_started', 'herald_events_started has no by'],
  ],
  ['herald_events_started_total{webhook=~"a|b"}', ['herald_events_started_total has no webhook']],
  ['up{job="a",herald="b"}', ['up has no herald']],
])('in %s unknown is %j', (expression, expected) => {
  expect(unknownIn(expression)).toEqual(expected);
});

test('every alert has a severity, a summary and a runbook, and every runbook belongs to an alert', () => {
  for (const { alert = '', labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels?.severity);
    expect(annotations?.summary).toMatch(/\.$/);
    expect(annotations?.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  }
  expect(headings).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
});

test('every alert that another one silences by name exists', () => {
  const silencing = [...text.matchAll(/ALERTS\{alertname=~?"([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split('|'),
  );
  expect(silencing).toContain('HeraldTemporalAway');
  const names = new Set(alerts.map(({ alert }) => alert));
  expect(silencing.filter((name) => !names.has(name))).toEqual([]);
});

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
