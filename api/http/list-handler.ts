import { createHash } from 'node:crypto';
import { AppError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { PageRequest } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import {
  type Filters,
  limitUpTo,
  type Parameter,
  type ParameterTable,
  readFilters,
} from './query-values.ts';
import type { ApiRequest, Handling } from '../route.ts';

export type ListRequest<
  Table extends ParameterTable,
  Request extends ApiRequest = ApiRequest,
> = Request & { page: PageRequest; filters: Filters<Table> };

/** The items as shown to clients, and the uid after which the next page starts, or null at the end. */
export interface ListAnswer {
  data: unknown[];
  lastUid: string | null;
}

/** Adds the parameters `limit` and `cursor`. Throws `invalid_request`, `invalid_cursor`. */
export function listHandler<Table extends ParameterTable, Request extends ApiRequest = ApiRequest>(
  table: Table,
  list: (request: ListRequest<Table, Request>, context: ApiContext) => Promise<ListAnswer>,
): Handling<Request> {
  const handle: Handling<Request> = async (request, context) => {
    const filters = readFilters(table, request.query);
    const listName = nameList(request.callScope, filters);
    const limit = request.query.get('limit');
    const page = {
      limit: limit === null ? limits.pageSizeDefault : readLimit('limit', limit),
      after: readCursor(request.query.get('cursor'), listName),
    };
    const { data, lastUid } = await list({ ...request, page, filters }, context);
    const nextCursor = lastUid === null ? null : makeCursor(lastUid, listName);
    return { status: 200, body: { data, nextCursor } };
  };
  return Object.assign(handle, { parameters: { ...table, limit: readLimit, cursor } });
}

const readLimit = limitUpTo(limits.pageSizeMax, limits.pageSizeDefault);

// Whether it is valid depends on the list.
const cursor: Parameter<string> = Object.assign((_name: string, text: string) => text, {
  schema: {
    type: 'string',
    minLength: 1,
    description: 'The `nextCursor` of the previous page, with the same filters.',
  },
});

function nameList(callScope: string, filters: Readonly<Record<string, unknown>>): string {
  // Absent filters are omitted, so that cursors survive a new filter.
  const active = Object.entries(filters).filter(([, value]) => value !== null);
  return `${callScope}\n${JSON.stringify(active)}`;
}

const digestBytes = 6;

/** The digest guards against mistakes, not attacks. */
function makeCursor(uid: string, listName: string): string {
  const digest = createHash('sha256').update(`${listName}\n${uid}`).digest();
  return Buffer.concat([digest.subarray(0, digestBytes), Buffer.from(uid)]).toString('base64url');
}

function readCursor(cursor: string | null, listName: string): string | null {
  if (cursor === null) return null;
  const uid = Buffer.from(cursor, 'base64url').subarray(digestBytes).toString();
  if (cursor === makeCursor(uid, listName)) return uid;
  const detail = 'cursor must be a nextCursor of this list with the same filters';
  const errors = [{ pointer: 'cursor', code: 'list' as const, detail }];
  throw new AppError('invalid_cursor', detail, { errors });
}
