import { verifyPassword } from '../../../lib/access/password.ts';
import { siteOf } from '../../../lib/egress/network-of.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { beginSignInAttempt, type SignInSubject } from '../../../lib/access/sign-in-throttle.ts';
import type { ApiContext } from '../../context.ts';

/** Takes as long for an unknown email (`stored` null) as for a known one. Throws `too_many_sign_ins`, `overloaded`. */
export async function checkPassword(
  { store, config, clock }: ApiContext,
  subject: SignInSubject,
  { password, stored }: { password: string; stored: string | null },
): Promise<boolean> {
  const attempt = await beginSignInAttempt(store, subject, {
    pepper: config.keyPepper,
    now: clock.now(),
  });
  if (!attempt.allowed) {
    const seconds = Math.ceil(attempt.retryAfterMs / 1_000);
    const detail = `too many failed sign-ins; try again in ${seconds} s`;
    throw new AppError('too_many_sign_ins', detail, { retryAfterSeconds: seconds });
  }
  const { device, address } = subject;
  const queue = device
    ? ({ queue: 'known', group: device } as const)
    : ({ queue: 'anyone', group: siteOf(address) } as const);
  const right = await verifyPassword(password, stored, queue).catch(async (error: unknown) => {
    // A right password does not count as a guess.
    await attempt.release();
    throw error;
  });
  if (right) await attempt.succeeded();
  return right;
}
