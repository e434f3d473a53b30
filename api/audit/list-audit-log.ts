// GET …/audit-log: who did what in the application, newest first; for keys and admins.
import type { Filter } from 'mongodb';
import { limits } from '../../lib/limits.ts';
import { type Actor, type AuditDocument } from '../../lib/model/audit-log.ts';
import { madeWithin, readPage } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import { type ListAnswer, listHandler, type ListRequest } from '../http/list-handler.ts';
import { type Filters, parseTime, textUpTo } from '../http/query-values.ts';
import { named, objectOf, oneOfTexts, text, textOrNull, time } from '../http/schemas.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const auditFilters = {
  action: textUpTo(limits.filterCharactersMax),
  actorUid: textUpTo(limits.filterCharactersMax),
  targetUid: textUpTo(limits.filterCharactersMax),
  since: parseTime,
  until: parseTime,
};

const auditRowSchema = named(
  'AuditRow',
  objectOf<ReturnType<typeof presentRow>>({
    uid: text,
    at: time,
    action: text,
    actor: objectOf<Actor>({
      kind: oneOfTexts(['api_key', 'admin', 'anonymous', 'system']),
      uid: textOrNull,
    }),
    target: objectOf<{ kind: string; uid: string }>({ kind: text, uid: text }),
    details: { type: 'object', description: 'The fields depend on the action.' },
    address: textOrNull,
    requestId: textOrNull,
  }),
);

const factsOfListAuditLog: Operation = {
  id: 'listAuditLog',
  summary: 'List the audit log of an application',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(auditRowSchema) },
};

export const listAuditLog = operation(
  factsOfListAuditLog,
  listHandler(auditFilters, (request, context) => listRows(context, request, request.appUid)),
);

const factsOfListInstallationAuditLog: Operation = {
  id: 'listInstallationAuditLog',
  summary: 'List the audit log of the installation',
  description:
    'The log records sign-ins and password changes. The list is ordered from newest to oldest.',
  answers: { 200: pageOf(auditRowSchema) },
};

/** The rows without an application: sign-ins and password changes. */
export const listInstallationAuditLog = operation(
  factsOfListInstallationAuditLog,
  listHandler(auditFilters, (request, context) => listRows(context, request, null)),
);

async function listRows(
  { store }: ApiContext,
  { page, filters }: ListRequest<typeof auditFilters>,
  appUid: string | null,
): Promise<ListAnswer> {
  const { items, lastUid } = await readPage(store.auditLog, auditFilter(appUid, filters), page);
  return { data: items.map(presentRow), lastUid };
}

/** Returns the filter of a query. Each part of it is covered by an index. */
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

function presentRow(row: AuditDocument) {
  const { _id: uid, action, actor, target, details, address, requestId } = row;
  const at = row.createdAt.toISOString();
  return { uid, at, action, actor, target, details, address, requestId };
}
