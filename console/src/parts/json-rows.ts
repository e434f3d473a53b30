// The rows of a JSON value as a tree. Only expanded parts have rows.

export interface JsonRow {
  /** A JSON pointer. */
  path: string;
  /** The key in its object or array. Null for the root. */
  name: string | null;
  value: unknown;
  /** Counted from 1. */
  level: number;
  /** The number of children. Null if there is nothing to expand. */
  size: number | null;
  isOpen: boolean;
  /** Position among its siblings, counted from 1. */
  position: number;
  siblingCount: number;
}

type Entry = readonly [name: string, value: unknown];

const openLevels = 3;
const openSize = 50;

function entriesOf(value: unknown): readonly Entry[] | null {
  if (Array.isArray(value)) return value.map((one, index) => [String(index), one]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : null;
}

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the visible rows. `toggled` contains the paths that are not in their initial state. */
export function jsonRows(value: unknown, toggled: ReadonlySet<string>): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (row: Omit<JsonRow, 'size' | 'isOpen'>): void => {
    const entries = entriesOf(row.value);
    const size = entries === null || entries.length === 0 ? null : entries.length;
    const isOpenAtFirst = row.level <= openLevels && (size ?? 0) <= openSize;
    const isOpen = size !== null && isOpenAtFirst !== toggled.has(row.path);
    rows.push({ ...row, size, isOpen });
    if (!isOpen || entries === null) return;
    for (const [index, [name, child]] of entries.entries()) {
      const path = `${row.path}/${pointerPart(name)}`;
      const position = { level: row.level + 1, position: index + 1, siblingCount: entries.length };
      add({ path, name, value: child, ...position });
    }
  };
  add({ path: '', name: null, value, level: 1, position: 1, siblingCount: 1 });
  return rows;
}

interface Move {
  /** The row that becomes active. */
  index: number;
  /** True if the active row is expanded or collapsed. */
  isToggled: boolean;
}

function parentOf(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  return Math.max(
    0,
    rows.slice(0, index).findLastIndex((row) => row.level < level),
  );
}

/** Returns the effect of a key on a row, as in any tree. Null for a key without one. */
export function moveBy(key: string, rows: readonly JsonRow[], index: number): Move | null {
  const row = rows[index];
  const to = (target: number): Move => ({
    index: Math.min(Math.max(target, 0), rows.length - 1),
    isToggled: false,
  });
  const toggle = { index, isToggled: true };
  if (row === undefined) return null;
  if (key === 'ArrowDown') return to(index + 1);
  if (key === 'ArrowUp') return to(index - 1);
  if (key === 'Home') return to(0);
  if (key === 'End') return to(rows.length - 1);
  if (key === 'ArrowLeft') return row.isOpen ? toggle : to(parentOf(rows, index));
  if (key === 'ArrowRight' && row.size !== null) return row.isOpen ? to(index + 1) : toggle;
  return (key === 'Enter' || key === ' ') && row.size !== null ? toggle : null;
}
