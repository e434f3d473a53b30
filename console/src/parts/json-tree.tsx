import { Button, Stack } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, useId, useMemo, useRef, useState } from 'react';
import { type JsonRow, jsonRows, moveBy } from './json-rows.ts';
import classes from './json-tree.module.css';
import { Block, Line, lineCharacters } from './untrusted.tsx';

interface JsonTreeProps {
  value: unknown;
  label: string;
}

const rowHeight = 26;
const indentPixels = 18;
// Deeper levels are not indented further, so that they stay in view.
const indentedLevels = 16;

/** A JSON value from a stranger, of any size. Only the visible rows are in the document. */
export function JsonTree({ value, label }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const rows = useMemo(() => jsonRows(value, toggled), [value, toggled]);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.path ?? index,
    overscan: 20,
  });
  const toggle = ({ path }: JsonRow): void => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[active];
    const move = event.target === box.current ? moveBy(event.key, rows, active) : null;
    if (move === null || row === undefined) return;
    event.preventDefault();
    if (move.isToggled) toggle(row);
    setActive(move.index);
    virtualizer.scrollToIndex(move.index);
  };
  const click = ({ target }: MouseEvent<HTMLElement>): void => {
    const element = (target as Element).closest<HTMLElement>('[data-index],button');
    const index = Number(element?.dataset['index'] ?? -1);
    const row = rows[index];
    if (row === undefined) return;
    setActive(index);
    if (row.size !== null) toggle(row);
  };
  const shown = virtualizer.getVirtualItems();
  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      aria-activedescendant={shown.some(({ index }) => index === active) ? id + active : undefined}
      tabIndex={0}
      className={classes['tree']}
      onKeyDown={press}
      onClick={click}
    >
      <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <Row
              key={key}
              id={id + index}
              measure={virtualizer.measureElement}
              row={row}
              index={index}
              start={start}
              isActive={index === active}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  measure: (element: HTMLElement | null) => void;
  row: JsonRow;
  index: number;
  start: number;
  isActive: boolean;
}

function Row({ id, measure, row, index, start, isActive }: RowProps) {
  return (
    <div
      id={id}
      ref={measure}
      data-index={index}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblingCount}
      aria-expanded={row.size === null ? undefined : row.isOpen}
      aria-selected={isActive}
      tabIndex={-1}
      className={classes['row']}
      style={{ transform: `translateY(${start}px)` }}
    >
      <RowContent row={row} />
    </div>
  );
}

function RowContent({ row }: { row: JsonRow }) {
  const { name, level, size, isOpen } = row;
  const indent = Math.min(level - 1, indentedLevels) * indentPixels;
  return (
    <>
      <span aria-hidden="true" className={classes['chevron']} style={{ marginInlineStart: indent }}>
        {size === null ? '' : isOpen ? '▾' : '▸'}
      </span>
      {name !== null && (
        <span className={classes['name']}>
          <Line text={name} />:
        </span>
      )}
      <span className={classes['value']}>
        <Value row={row} />
      </span>
    </>
  );
}

function Value({ row: { value, size } }: { row: JsonRow }) {
  if (typeof value === 'string') return <Text text={value} />;
  if (typeof value !== 'object' || value === null) {
    return <span className={classes['other']}>{String(value)}</span>;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const unit = Array.isArray(value) ? 'item' : 'field';
  const count =
    size === null ? '' : ` ${size.toLocaleString('en')} ${unit}${size === 1 ? '' : 's'} `;
  return <span className={classes['size']}>{`${open}${count}${close}`}</span>;
}

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole) return <Block text={text} label="Full text" />;
  const line = (
    <span className={classes['string']}>
      &quot;
      <Line text={text} />
      &quot;
    </span>
  );
  if (text.length <= lineCharacters) return line;
  return (
    <Stack gap={4} align="flex-start">
      {line}
      <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
        Show more ({text.length.toLocaleString('en')} characters)
      </Button>
    </Stack>
  );
}
