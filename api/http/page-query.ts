// The `limit` and `cursor` of a list, each at most once, and the answer that carries a page.
import { limits } from '../../lib/config.ts';
import { AppError } from '../../lib/errors.ts';
import type { PageRequest } from '../../lib/store/paging.ts';
import { invalidRequest } from './validate.ts';

const cursorShape = /^[a-z]{3}_[0-9a-z]{26}$/;

/** Reads a page's query. Throws `invalid_request` or `invalid_cursor`. */
export function readPageQuery(query: URLSearchParams): PageRequest {
  const [limitText = String(limits.pageSizeDefault), ...more] = query.getAll('limit');
  const limit = Number(limitText);
  const isNumber = /^\d{1,4}$/.test(limitText) && more.length === 0;
  if (!isNumber || limit < 1 || limit > limits.pageSizeMax) {
    const detail = `limit must be a whole number from 1 to ${limits.pageSizeMax}`;
    throw invalidRequest([{ pointer: 'limit', code: 'range', detail }]);
  }
  return { limit, after: readCursor(query.getAll('cursor')) };
}

function readCursor([cursor, ...more]: readonly string[]): string | null {
  if (cursor === undefined) return null;
  const after = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!cursorShape.test(after) || more.length > 0) {
    throw new AppError('invalid_cursor', 'cursor must be a nextCursor of this list');
  }
  return after;
}

/** Makes the opaque cursor that goes on after the item `uid`. */
export function cursorAfter(uid: string | null): string | null {
  return uid === null ? null : Buffer.from(uid, 'utf8').toString('base64url');
}
