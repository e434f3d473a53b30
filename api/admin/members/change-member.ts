import type { Role } from '../../../lib/model/membership.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { AdminHandler } from '../../route.ts';
import { validator } from '../../http/validate.ts';
import { findMember, keepAnOwner, memberSchema, presentMember, roleField } from './member.ts';
import { operation, type Operation } from '../../http/operation.ts';

interface ChangeMemberBody {
  role: Role;
}

export const changeMemberBody = validator<ChangeMemberBody>({
  required: ['role'],
  properties: { role: roleField },
});

const facts: Operation = {
  id: 'changeMember',
  summary: 'Change the role of a member',
  example: { role: 'admin' },
  answers: { 200: { description: 'The member', schema: memberSchema } },
  problems: ['conflict'],
};

export const changeMember: AdminHandler<ChangeMemberBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, body, caller } = request;
    const { store, clock } = context;
    const { role } = body;
    const member = await inTransaction(store, async (session) => {
      const before = await findMember(context, request, session);
      if (before.role === role) return before;
      await keepAnOwner(context, before, session);
      await store.memberships.updateOne(
        { _id: before._id, appUid },
        { $set: { role } },
        { session },
      );
      const target = { kind: 'admin', uid: before.adminUid };
      const details = { role, previousRole: before.role };
      const entry = { appUid, action: 'member.role_changed', target, details };
      await recordAudit(store, entry, { caller, now: clock.now(), session });
      return { ...before, role };
    });
    const admin = await store.admins.findOne({ _id: member.adminUid });
    return { status: 200, body: presentMember(member, admin ?? undefined) };
  },
);
