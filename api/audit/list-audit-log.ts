// GET …/audit-log: who did what in the application, newest first; for keys and for admins.
import type { Filter } from 'mongodb';
import { limits } from '../../lib/config.ts';
import type { AuditDocument } from '../../lib/store/audit-log.ts';
import { madeWithin, readPage } from '../../lib/store/paging.ts';
import type { ApiContext } from '../context.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import { readText, readTimeRange } from '../http/query-values.ts';
import type { ApiAnswer, ApiRequest, Handler } from '../http/router.ts';

/** Gives a page of the application's rows. Throws `invalid_request`, `invalid_cursor`. */
export const listAuditLog: Handler = (request, context) =>
  listRows(context, request, request.appUid);

/** Gives a page of the rows that concern no application: sign-ins, changes of passwords. */
export const listInstallationAuditLog: Handler = (request, context) =>
  listRows(context, request, null);

async function listRows(
  { store }: ApiContext,
  { query }: ApiRequest,
  appUid: string | null,
): Promise<ApiAnswer> {
  const page = await readPage(store.auditLog, auditFilter(appUid, query), readPageQuery(query));
  const data = page.items.map(presentRow);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
}

/** Gives the filter that a query asks for; each part of it is served by an index. */
export function auditFilter(appUid: string | null, query: URLSearchParams): Filter<AuditDocument> {
  const action = readText(query, 'action', limits.filterCharactersMax);
  const actorUid = readText(query, 'actorUid', limits.filterCharactersMax);
  const targetUid = readText(query, 'targetUid', limits.filterCharactersMax);
  return {
    appUid,
    ...(action === null ? {} : { action }),
    ...(actorUid === null ? {} : { 'actor.uid': actorUid }),
    ...(targetUid === null ? {} : { 'target.uid': targetUid }),
    ...madeWithin('aud', readTimeRange(query)),
  };
}

function presentRow({ _id, createdAt, ...row }: AuditDocument): Record<string, unknown> {
  const { action, actor, target, details, address, requestId } = row;
  return {
    uid: _id,
    at: createdAt.toISOString(),
    action,
    actor,
    target,
    details,
    address,
    requestId,
  };
}
