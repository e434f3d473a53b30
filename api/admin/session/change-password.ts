import { passwordCharacters, passwordFault } from '../../../lib/access/password-rules.ts';
import { hashPassword } from '../../../lib/access/password.ts';
import { AppError, type FaultCode } from '../../../lib/platform/errors.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { recordSignInFailure } from '../../../lib/access/sign-in-failures.ts';
import type { AdminHandler } from '../../route.ts';
import { validator } from '../../http/validate.ts';
import { checkPassword } from './check-password.ts';
import { knownDevice } from './known-device.ts';
import { makeSession } from './open-session.ts';
import { passwordField } from './sign-in.ts';
import { operation, type Operation } from '../../http/operation.ts';
import { sessionSchema } from './present-session.ts';

interface ChangePasswordBody {
  currentPassword: string;
  newPassword: string;
}

export const changePasswordBody = validator<ChangePasswordBody>({
  required: ['currentPassword', 'newPassword'],
  properties: {
    currentPassword: passwordField,
    newPassword: {
      ...passwordField,
      published: { minLength: passwordCharacters.min, maxLength: passwordCharacters.max },
    },
  },
});

const facts: Operation = {
  id: 'changePassword',
  summary: 'Change the password',
  description: 'The call ends all sessions of the caller and opens a new one.',
  example: { currentPassword: 'correct horse', newPassword: 'battery staple correct' },
  answers: {
    200: { description: 'The new session', schema: sessionSchema, headers: ['set-cookie'] },
  },
  problems: ['conflict', 'password_refused', 'too_many_sign_ins'],
};

export const changePassword: AdminHandler<ChangePasswordBody> = operation(
  facts,
  async (request, context) => {
    const { signedIn, body, caller, rawHeaders } = request;
    const { store } = context;
    const { admin } = signedIn;
    if (admin.passwordHash === null) {
      throw new AppError(
        'conflict',
        'this admin has no password and signs in through the identity provider',
      );
    }
    const fault = passwordFault(body.newPassword, admin.email);
    if (fault !== null) throw refused('newPassword', fault);
    const device = knownDevice(context, admin, rawHeaders);
    const subject = { email: admin.email, address: caller.address, device };
    const given = { password: body.currentPassword, stored: admin.passwordHash };
    const now = context.clock.now();
    if (!(await checkPassword(context, subject, given))) {
      const failure = { adminUid: admin._id, method: 'password', email: admin.email } as const;
      await recordSignInFailure(store, failure, { caller, now });
      throw refused('currentPassword', { code: 'password_wrong', detail: 'is wrong' });
    }
    const passwordHash = await hashPassword(body.newPassword);
    return inTransaction(store, async (session) => {
      const after = await store.admins.findOneAndUpdate(
        { _id: admin._id, passwordHash: admin.passwordHash },
        { $set: { passwordHash, updatedAt: now }, $inc: { deviceEpoch: 1 } },
        { session, returnDocument: 'after' },
      );
      if (after === null)
        throw new AppError('conflict', 'another request has just changed the password');
      // Including the current one, because its cookie may have been copied (OWASP ASVS 5.0, 7.2.4).
      await store.adminSessions.deleteMany({ adminUid: admin._id }, { session });
      const made = makeSession(context, after, request);
      await store.adminSessions.insertOne(made.session, { session });
      const target = { kind: 'admin', uid: admin._id };
      const entry = { appUid: null, action: 'admin.password_changed', target };
      await recordAudit(store, entry, { caller, now, session });
      return made.answer;
    });
  },
);

function refused(field: string, fault: { code: FaultCode; detail: string }): AppError {
  const detail = `${field} ${fault.detail}`;
  return new AppError('password_refused', detail, {
    errors: [{ pointer: `#/${field}`, code: fault.code, detail }],
  });
}
