import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AppCalls } from '../../api/client.ts';
import { toCsv } from '../../parts/csv.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ChoiceFilter, Filters, PeriodFilter, TextFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { auditColumns } from './audit-columns.tsx';
import { csvCellsOf, csvHeader, type Names, takeUpTo } from './audit-rows.ts';

const exportedRowsMax = 10_000;
const rowsOfExportPage = 200;

interface AuditPageProps {
  title: string;
  about: string;
  calls: Pick<AppCalls['auditLog'], 'list'>;
  /** The key of the page's queries. */
  queryKey: readonly unknown[];
  /** The filters in the address. */
  filters: NonNullable<Parameters<AppCalls['auditLog']['list']>[0]>;
  actions: readonly string[];
  actorFilter: ReactNode;
  names: Names;
  /** The application of the targets. Null for the installation, whose targets have no pages. */
  appUid: string | null;
}

/** The rows of an audit log, with filters and an export. */
export function AuditPage(props: AuditPageProps) {
  const { title, calls, filters, names } = props;
  const exporting = useExport(props);
  const list = useList({
    key: [...props.queryKey, filters],
    list: (paging, options) => calls.list({ ...filters, ...paging }, options),
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title={title}
      about={props.about}
      actions={
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Export CSV
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter name="action" label="Action" choices={props.actions} />
        {props.actorFilter}
        <TextFilter name="targetUid" label="Target" placeholder="an ID" />
        <PeriodFilter />
      </Filters>
      {exporting.error !== null && <Fault error={exporting.error} />}
      <List
        of={list}
        hasFilters
        empty={
          <Empty title={isFiltered ? 'No entries match' : 'No entries yet'}>
            {isFiltered
              ? 'Clear a filter, or choose a longer period.'
              : 'Changes are recorded here.'}
          </Empty>
        }
      >
        {(rows) => (
          <DataTable
            label={title}
            columns={auditColumns(props.appUid, names)}
            rows={rows}
            keyOf={({ uid }) => uid}
          />
        )}
      </List>
    </Page>
  );
}

/** Exports the filtered rows, up to the maximum. */
function useExport({ calls, filters, names }: AuditPageProps) {
  return useChange({
    change: () => takeUpTo(calls.list({ ...filters, limit: rowsOfExportPage }), exportedRowsMax),
    changes: [],
    done: ({ rows, isCut }) =>
      isCut
        ? `Exported the newest ${rows.length.toLocaleString('en')} rows. Narrow the filters to export older ones.`
        : `Exported ${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}.`,
    onDone: ({ rows }) => {
      const cells = rows.map((row) => csvCellsOf(row, names));
      download('audit-log.csv', 'text/csv', toCsv(csvHeader, cells));
    },
  });
}

/** Offers a generated file for download. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
