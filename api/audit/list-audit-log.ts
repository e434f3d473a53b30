// GET …/audit-log: who did what in the application, newest first; for keys and for admins.
import type { Filter } from 'mongodb';
import { limits } from '../../lib/limits.ts';
import type { AuditDocument } from '../../lib/model/audit-log.ts';
import { madeWithin, readPage } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import { type ListAnswer, listHandler, type ListRequest } from '../http/list-handler.ts';
import { type Filters, parseTime, textUpTo } from '../http/query-values.ts';

const auditFilters = {
  action: textUpTo(limits.filterCharactersMax),
  actorUid: textUpTo(limits.filterCharactersMax),
  targetUid: textUpTo(limits.filterCharactersMax),
  since: parseTime,
  until: parseTime,
};

/** Gives a page of the application's rows. */
export const listAuditLog = listHandler(auditFilters, (request, context) =>
  listRows(context, request, request.appUid),
);

/** Gives a page of the rows that concern no application: sign-ins, changes of passwords. */
export const listInstallationAuditLog = listHandler(auditFilters, (request, context) =>
  listRows(context, request, null),
);

async function listRows(
  { store }: ApiContext,
  { page, filters }: ListRequest<typeof auditFilters>,
  appUid: string | null,
): Promise<ListAnswer> {
  const { items, lastUid } = await readPage(store.auditLog, auditFilter(appUid, filters), page);
  return { data: items.map(presentRow), lastUid };
}

/** Gives the filter that a query asks for; each part of it is served by an index. */
export function auditFilter(
  appUid: string | null,
  { action, actorUid, targetUid, ...time }: Filters<typeof auditFilters>,
): Filter<AuditDocument> {
  return {
    appUid,
    ...(action === null ? {} : { action }),
    ...(actorUid === null ? {} : { 'actor.uid': actorUid }),
    ...(targetUid === null ? {} : { 'target.uid': targetUid }),
    ...madeWithin('aud', time),
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
