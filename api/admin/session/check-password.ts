import { verifyPassword } from '../../../lib/access/password.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { type SignInSubject, takeSignInTurn } from '../../../lib/access/sign-in-throttle.ts';
import type { ApiContext } from '../../context.ts';

/** Takes as long for an unknown email (`stored` null) as for a known one. Throws `too_many_sign_ins`, `overloaded`. */
export async function checkPassword(
  { store, config, clock }: ApiContext,
  subject: SignInSubject,
  { password, stored }: { password: string; stored: string | null },
): Promise<boolean> {
  const turn = await takeSignInTurn(store, subject, {
    pepper: config.keyPepper,
    now: clock.now(),
  });
  if (!turn.allowed) {
    const seconds = Math.ceil(turn.retryAfterMs / 1_000);
    const detail = `too many failed sign-ins; try again in ${seconds} s`;
    throw new AppError('too_many_sign_ins', detail, { retryAfterSeconds: seconds });
  }
  const line = subject.device ? 'known' : 'anyone';
  const right = await verifyPassword(password, stored, line).catch(async (error: unknown) => {
    // A right password does not count as a guess.
    await turn.giveBack();
    throw error;
  });
  if (right) await turn.succeeded();
  return right;
}
