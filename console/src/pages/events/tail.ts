// The events that the live page keeps: a limited number, newest first.

interface Named {
  eventId: string;
}

export interface Tail<Row> {
  shown: readonly Row[];
  /** The events that arrived during the pause. They are shown when it ends. */
  waiting: readonly Row[];
  isPaused: boolean;
  /** The number of all events that arrived, including dropped ones. */
  count: number;
}

export const tailRowsMax = 500;

export const emptyTail = { shown: [], waiting: [], isPaused: false, count: 0 };

const newest = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(0, tailRowsMax);

/** Adds events in the order of arrival. Events that are already listed are ignored. */
export function take<Row extends Named>(tail: Tail<Row>, came: readonly Row[]): Tail<Row> {
  const known = new Set([...tail.waiting, ...tail.shown].map(({ eventId }) => eventId));
  const byId = new Map(came.map((row) => [row.eventId, row]));
  const rows = [...byId.values()].filter(({ eventId }) => !known.has(eventId)).toReversed();
  const count = tail.count + rows.length;
  return tail.isPaused
    ? { ...tail, count, waiting: newest([...rows, ...tail.waiting]) }
    : { ...tail, count, shown: newest([...rows, ...tail.shown]) };
}

/** Freezes the list, so that a row can be read. Events that arrive meanwhile are kept. */
export function pause<Row>(tail: Tail<Row>): Tail<Row> {
  return { ...tail, isPaused: true };
}

export function proceed<Row>(tail: Tail<Row>): Tail<Row> {
  const shown = newest([...tail.waiting, ...tail.shown]);
  return { ...tail, isPaused: false, shown, waiting: [] };
}
