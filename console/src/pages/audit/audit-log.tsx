import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { toCsv } from '../../parts/csv.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { download } from '../../parts/download.ts';
import { Fault } from '../../parts/fault.tsx';
import { ChoiceFilter, Filters, TextFilter, TimeFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { actions } from './actions.ts';
import { auditColumns } from './audit-columns.tsx';
import { csvCellsOf, csvHeader, type Names, takeUpTo } from './audit-rows.ts';
import { useNames } from './use-names.ts';

const exportedRowsMax = 10_000;
const rowsOfExportPage = 200;

/** Who did what in the application. */
export function AuditLog() {
  const { app, calls, key } = useApp();
  const filters = useSearch({ from: '/signed-in/apps/$appUid/audit-log' });
  const names = useNames();
  const exporting = useExport(names);
  const list = useList({
    key: [...key, 'audit-log', filters],
    list: (paging, options) => calls.auditLog.list({ ...filters, ...paging }, options),
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Audit log"
      about="Who did what in this application, newest first. No call changes or removes a row."
      actions={
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Export CSV
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter name="action" label="Action" choices={actions} />
        <ActorFilter names={names} actorUid={filters.actorUid} />
        <TextFilter name="targetUid" label="Target" placeholder="a uid" />
        <TimeFilter name="since" label="Since" />
        <TimeFilter name="until" label="Until" />
      </Filters>
      {exporting.error !== null && <Fault error={exporting.error} />}
      <List
        of={list}
        empty={
          <Empty title={isFiltered ? 'No row matches' : 'Nothing was done yet'}>
            {isFiltered && 'Clear a filter, or widen the time.'}
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label="Audit log"
            columns={auditColumns(app.uid, names)}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
    </Page>
  );
}

function ActorFilter({ names, actorUid }: { names: Names; actorUid: string | undefined }) {
  // A deleted key, or a superuser who is no member.
  const isUnknown = actorUid !== undefined && !names.has(actorUid);
  const actors = isUnknown ? [...names, [actorUid, actorUid] as const] : [...names];
  const choices = actors.map(([value, name]) => ({ value, label: visibleText(name) }));
  return <ChoiceFilter name="actorUid" label="Actor" choices={choices} />;
}

/** Exports what is filtered, as far as the maximum. */
function useExport(names: Names) {
  const { calls } = useApp();
  const filters = useSearch({ from: '/signed-in/apps/$appUid/audit-log' });
  return useChange({
    change: () =>
      takeUpTo(calls.auditLog.list({ ...filters, limit: rowsOfExportPage }), exportedRowsMax),
    changes: [],
    done: ({ rows, isCut }) =>
      isCut
        ? `The newest ${rows.length.toLocaleString('en')} rows are exported. Narrow the filters for older ones.`
        : `All ${rows.length.toLocaleString('en')} rows that match are exported.`,
    onDone: ({ rows }) => {
      const cells = rows.map((row) => csvCellsOf(row, names));
      download('audit-log.csv', 'text/csv', toCsv(csvHeader, cells));
    },
  });
}
