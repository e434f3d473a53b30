import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { AdminHandler } from '../../route.ts';
import { findMember, keepAnOwner } from './member.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'removeMember',
  summary: 'Remove an admin from an application',
  answers: { 204: { description: 'Done' } },
  problems: ['conflict'],
};

export const removeMember: AdminHandler = operation(facts, async (request, context) => {
  const { appUid, caller } = request;
  const { store, clock } = context;
  await inTransaction(store, async (session) => {
    const member = await findMember(context, request, session);
    await keepAnOwner(context, member, session);
    await store.memberships.deleteOne({ _id: member._id, appUid }, { session });
    const target = { kind: 'admin', uid: member.adminUid };
    const entry = { appUid, action: 'member.removed', target, details: { role: member.role } };
    await recordAudit(store, entry, { caller, now: clock.now(), session });
  });
  return { status: 204 };
});
