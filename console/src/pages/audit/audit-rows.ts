import type { AuditRow } from '@agent-herald/client';

/** The names of actors and targets, by uid. */
export type Names = ReadonlyMap<string, string>;

/** Returns the actor's name if it is known, or else the uid or kind. */
export function actorOf({ kind, uid }: AuditRow['actor'], names: Names): string {
  if (kind === 'system') return 'the service or its command line';
  if (uid === null) return 'unknown';
  return names.get(uid) ?? uid;
}

export const csvHeader = [
  'time',
  'actor kind',
  'actor uid',
  'actor',
  'action',
  'target kind',
  'target uid',
  'details',
  'address',
  'request id',
];

/** Returns the cells of a row, in the order of the header. */
export function csvCellsOf(row: AuditRow, names: Names): string[] {
  const { at, actor, action, target, details, address, requestId } = row;
  return [
    at,
    actor.kind,
    actor.uid ?? '',
    actorOf(actor, names),
    action,
    target.kind,
    target.uid,
    JSON.stringify(details),
    address ?? '',
    requestId ?? '',
  ];
}

/** Returns the first rows, and whether there are more. */
export async function takeUpTo<Row>(
  rows: AsyncIterable<Row>,
  max: number,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const taken: Row[] = [];
  for await (const row of rows) {
    if (taken.length === max) return { rows: taken, isCut: true };
    taken.push(row);
  }
  return { rows: taken, isCut: false };
}
