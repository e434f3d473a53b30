import { Table, VisuallyHidden } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import classes from './parts.module.css';
import { InTable } from './when.tsx';

export interface Column<Row> {
  /** The name of the column. Empty for a column of buttons. */
  label: string;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** Describes the table to screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Mouse only. For the keyboard, the main cell needs a link. */
  onOpen?: (row: Row) => void;
}

const rowHeight = 48;
const rowsBeyondView = 20;

/** A table of any length. Only the visible rows are in the document. */
export function DataTable<Row>({ label, columns, rows, keyOf, onOpen }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const { top } = body.current?.getBoundingClientRect() ?? { top: 0 };
    setScrollMargin(top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: rowsBeyondView,
    scrollMargin,
  });
  const shown = virtualizer.getVirtualItems();
  const before = (shown[0]?.start ?? scrollMargin) - scrollMargin;
  const after = virtualizer.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <InTable value>
      <Table
        className={classes['table'] ?? ''}
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        highlightOnHover
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ label: name }, index) => (
              <Table.Th key={name || index} role="columnheader" scope="col">
                {name || <VisuallyHidden>Actions</VisuallyHidden>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body} role="rowgroup">
          <Space height={before} />
          {shown.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Table.Tr
                key={keyOf(row)}
                ref={virtualizer.measureElement}
                data-index={index}
                data-clickable={onOpen !== undefined || undefined}
                className={classes['row'] ?? ''}
                role="row"
                aria-rowindex={index + 2}
                onClick={(event) => {
                  const isOwn = (event.target as Element).closest('a,button,input,label') !== null;
                  const isSelecting = getSelection()?.isCollapsed === false;
                  if (!isOwn && !isSelecting) onOpen?.(row);
                }}
              >
                {columns.map(({ label: name, cell }, column) => (
                  <Table.Td key={name || column} role="cell" data-label={name}>
                    <div style={{ minWidth: 0 }}>{cell(row)}</div>
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
          <Space height={after} />
        </Table.Tbody>
      </Table>
    </InTable>
  );
}

/** Fills the space of the rows that are not in the document. */
function Space({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden="true" style={{ height, padding: 0 }} />;
}
