import { canonicalEmail } from '../../../lib/access/canonical-email.ts';
import { hashPassword, isOutdated } from '../../../lib/access/password.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import { recordSignInFailure } from '../../../lib/access/sign-in-failures.ts';
import type { Handler } from '../../route.ts';
import { emailField } from '../../http/text-fields.ts';
import { invalidRequest, validator } from '../../http/validate.ts';
import { checkPassword } from './check-password.ts';
import { knownDevice } from './known-device.ts';
import { openSession, sessionHashesOf } from './open-session.ts';
import { operation, type Operation } from '../../http/operation.ts';
import { sessionSchema } from './present-session.ts';

interface SignInBody {
  email: string;
  password: string;
}

export const passwordField = { type: 'string', minLength: 1, maxLength: 1_000 };

export const signInBody = validator<SignInBody>({
  required: ['email', 'password'],
  properties: {
    email: emailField,
    password: passwordField,
  },
});

const facts: Operation = {
  id: 'signIn',
  summary: 'Sign in with email and password',
  example: { email: 'ada@example.com', password: 'correct horse' },
  answers: { 200: { description: 'The session', schema: sessionSchema, headers: ['set-cookie'] } },
  problems: ['sign_in_refused', 'too_many_sign_ins'],
};

/** Responds with the same text, after the same work, to a wrong password and to an unknown email. */
export const signIn: Handler<SignInBody> = operation(
  facts,
  async ({ body, caller, rawHeaders }, context) => {
    const email = readEmail(body.email);
    const admin = await context.store.admins.findOne({ email });
    const stored = admin?.passwordHash ?? null;
    const device = knownDevice(context, admin, rawHeaders);
    const subject = { email, address: caller.address, device };
    const right = await checkPassword(context, subject, { password: body.password, stored });
    if (right && admin !== null && stored !== null) {
      const changes = await renewHash(body.password, stored);
      const endedHashes = sessionHashesOf(context, rawHeaders);
      const visit = { caller, rawHeaders, endedHashes };
      const opening = { ...visit, admin, method: 'password', changes } as const;
      const answer = await openSession(context, opening);
      if (answer !== null) return answer;
    }
    const failure = { adminUid: admin?._id ?? null, method: 'password', email } as const;
    const occasion = { caller, now: context.clock.now() };
    // Not awaited: it takes longer for an admin than for an unknown email, which would reveal that the admin exists.
    recordSignInFailure(context.store, failure, occasion).catch((error: unknown) => {
      httpLog.warn({ err: error, requestId: caller.requestId }, 'sign_in_failure.record_failed');
    });
    throw new AppError('sign_in_refused', 'the email or the password is wrong');
  },
);

/** Rehashes at the current cost. Under overload, a later sign-in does it. */
async function renewHash(password: string, stored: string): Promise<{ passwordHash?: string }> {
  if (!isOutdated(stored)) return {};
  try {
    return { passwordHash: await hashPassword(password) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'overloaded') return {};
    throw error;
  }
}

/** Returns the canonical form of an email. Throws `invalid_request`. */
export function readEmail(text: string): string {
  const email = canonicalEmail(text);
  if (email !== null) return email;
  const detail = 'email must be an email address such as ada@example.com';
  throw invalidRequest([{ pointer: '#/email', code: 'format', detail }]);
}
