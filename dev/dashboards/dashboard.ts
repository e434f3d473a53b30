// What a dashboard is made of, and how it is written for Grafana.

/** `s`, `reqps`, …: units of Grafana. */
type Unit = 's' | 'short' | 'ops' | 'percentunit' | 'bytes' | 'bool';

export interface Panel {
  title: string;
  description: string;
  unit: Unit;
  /** Queries by their legends; `{{label}}` in a legend is filled in. */
  queries: Readonly<Record<string, string>>;
}

export interface Dashboard {
  uid: string;
  title: string;
  panels: readonly Panel[];
}

const source = { type: 'prometheus', uid: '${source}' };
const panelSize = { w: 12, h: 8 };

/** Returns the JSON that Grafana imports; panels stand in two columns. */
export function toGrafana({ uid, title, panels }: Dashboard, all: readonly Dashboard[]): object {
  return {
    uid,
    title,
    tags: ['agent-herald'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    links: all
      .filter((other) => other.uid !== uid)
      .map((other) => ({
        title: other.title,
        type: 'link',
        url: `/d/${other.uid}`,
        keepTime: true,
      })),
    panels: panels.map((panel, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: panel.title,
      description: panel.description,
      datasource: source,
      gridPos: {
        ...panelSize,
        x: (index % 2) * panelSize.w,
        y: Math.floor(index / 2) * panelSize.h,
      },
      fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
      targets: Object.entries(panel.queries).map(([legendFormat, expr], query) => ({
        refId: String.fromCodePoint(65 + query),
        datasource: source,
        expr,
        legendFormat,
      })),
    })),
  };
}
