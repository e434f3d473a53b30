// What the live page has of the stream: a bounded number of events, newest first.

interface Named {
  eventId: string;
}

export interface Tail<Row> {
  shown: readonly Row[];
  /** What came since the pause; shown when it ends. */
  waiting: readonly Row[];
  isPaused: boolean;
  /** All that came, also what is no longer kept. */
  count: number;
}

export const tailRowsMax = 500;

export const emptyTail = { shown: [], waiting: [], isPaused: false, count: 0 };

const newest = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(0, tailRowsMax);

/** Takes in events in the order in which they came; one that came before is the same one again. */
export function take<Row extends Named>(tail: Tail<Row>, came: readonly Row[]): Tail<Row> {
  const known = new Set([...tail.waiting, ...tail.shown].map(({ eventId }) => eventId));
  const byId = new Map(came.map((row) => [row.eventId, row]));
  const rows = [...byId.values()].filter(({ eventId }) => !known.has(eventId)).toReversed();
  const count = tail.count + rows.length;
  return tail.isPaused
    ? { ...tail, count, waiting: newest([...rows, ...tail.waiting]) }
    : { ...tail, count, shown: newest([...rows, ...tail.shown]) };
}

/** Stops the page, so that a row can be read; what comes meanwhile is kept. */
export function pause<Row>(tail: Tail<Row>): Tail<Row> {
  return { ...tail, isPaused: true };
}

export function proceed<Row>(tail: Tail<Row>): Tail<Row> {
  const shown = newest([...tail.waiting, ...tail.shown]);
  return { ...tail, isPaused: false, shown, waiting: [] };
}
