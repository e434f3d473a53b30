import { AppError } from '../../../lib/platform/errors.ts';
import { limits } from '../../../lib/limits.ts';
import type { Role } from '../../../lib/model/membership.ts';
import { lockAdmin, makeMembership } from '../../../lib/access/admins.ts';
import { lockApp } from '../../../lib/access/apps.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../route.ts';
import { emailField } from '../../http/text-fields.ts';
import { validator } from '../../http/validate.ts';
import { readEmail } from '../session/sign-in.ts';
import { memberSchema, presentMember, roleField } from './member.ts';
import { operation, type Operation } from '../../http/operation.ts';

interface AddMemberBody {
  email: string;
  role: Role;
}

export const addMemberBody = validator<AddMemberBody>({
  required: ['email', 'role'],
  properties: {
    email: emailField,
    role: roleField,
  },
});

const facts: Operation = {
  id: 'addMember',
  summary: 'Add an admin to an application',
  example: { email: 'ada@example.com', role: 'viewer' },
  answers: { 201: { description: 'The member', schema: memberSchema } },
  problems: ['conflict', 'limit_reached', 'unknown_admin'],
  takesIdempotencyKey: true,
};

export const addMember: AdminHandler<AddMemberBody> = operation(
  facts,
  async (request, { store, secretBox, clock }) => {
    const { appUid, appPath, body, caller } = request;
    const email = readEmail(body.email);
    const now = clock.now();
    const once = { key: request.idempotencyKey(), secretBox, now };
    const { answer } = await runOnce(store, once, async (session) => {
      await lockApp(store, appUid, session);
      const admin = await lockAdmin(store, { email }, session);
      if (admin === null) throw unknownAdmin();
      const adminUid = admin._id;
      if ((await store.memberships.findOne({ appUid, adminUid }, { session })) !== null) {
        throw new AppError('conflict', 'this admin is already a member; change the role instead');
      }
      const count = await store.memberships.countDocuments({ appUid }, { session });
      if (count >= limits.membersPerAppMax) {
        const detail = `an application can have at most ${limits.membersPerAppMax} members`;
        throw new AppError('limit_reached', detail);
      }
      const member = makeMembership({ appUid, adminUid, role: body.role }, now);
      await store.memberships.insertOne(member, { session });
      const target = { kind: 'admin', uid: adminUid };
      const entry = { appUid, action: 'member.added', target, details: { email, role: body.role } };
      await recordAudit(store, entry, { caller, now, session });
      return presentMember(member, admin);
    });
    const location = `${appPath}/members/${answer.adminUid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);

function unknownAdmin(): AppError {
  const detail = 'no admin has this email; create one with npm run admin -- create';
  return new AppError('unknown_admin', detail, {
    errors: [{ pointer: '#/email', code: 'unknown_admin', detail }],
  });
}
