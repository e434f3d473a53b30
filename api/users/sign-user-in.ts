// POST …/sdkusers/auth: finds or creates a user and gives a token for the embedded session.
import { canonicalEmail } from '../../lib/canonical-email.ts';
import { limits } from '../../lib/config.ts';
import { findKnownAccounts } from '../../lib/store/accounts.ts';
import { findOrCreateUser } from '../../lib/store/users.ts';
import type { UserIdentity } from '../../lib/store/users.ts';
import { checkAccounts } from '../accounts/check-accounts.ts';
import type { Handler } from '../http/router.ts';
import { lineField, uidField } from '../http/text-fields.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { spend } from '../limits/rate-limits.ts';
import { emailIdentity, identitySubject } from './user-identity.ts';

export interface SignUserInBody {
  externalId?: string;
  userEmail?: string;
  name?: string;
  accountUids?: string[];
}

/** The body of the call; that exactly one identity is given is checked by the handler. */
export const signUserInBody = validator<SignUserInBody>({
  type: 'object',
  additionalProperties: false,
  properties: {
    externalId: lineField(limits.externalIdCharactersMax),
    userEmail: { type: 'string', minLength: 1, maxLength: limits.emailCharactersMax },
    name: lineField(limits.nameCharactersMax),
    accountUids: {
      type: 'array',
      maxItems: limits.accountUidsMax,
      items: uidField,
    },
  },
});

/**
 * Signs a user in (spec, "POST …/sdkusers/auth").
 * Throws `unknown_account_uids`, `limit_reached` at 100 accounts a user.
 */
export const signUserIn: Handler<SignUserInBody> = async ({ appUid, body }, context) => {
  const { store, config, rateLimits } = context;
  const { identity, email } = identify(body, { appUid, pepper: config.keyPepper });
  spend(rateLimits.signIn, identitySubject(config.keyPepper, appUid, identity));
  await checkAccounts(store, appUid, body.accountUids ?? []);
  const { user, created } = await findOrCreateUser(store, {
    appUid,
    identity,
    email,
    name: body.name ?? null,
    accountUids: [...new Set(body.accountUids)],
    now: context.clock.now(),
  });
  const [epoch, accountUids] = await Promise.all([
    context.readTokenEpoch(user),
    // An account that is being deleted may not be off all of its users yet.
    findKnownAccounts(store, appUid, user.accountUids),
  ]);
  const token = await context.tokens.issue({ userUid: user._id, appUid, accountUids, epoch });
  return {
    status: 200,
    body: {
      authToken: token.authToken,
      expiresAt: token.expiresAt.toISOString(),
      userUid: user._id,
      created,
    },
  };
};

function identify(
  { externalId, userEmail }: SignUserInBody,
  { appUid, pepper }: { appUid: string; pepper: string },
): { identity: UserIdentity; email: string | undefined } {
  if (externalId !== undefined && userEmail === undefined) {
    return { identity: { externalId }, email: undefined };
  }
  if (userEmail === undefined || externalId !== undefined) {
    const given = userEmail === undefined ? 'neither' : 'both';
    const detail = `exactly one of externalId and userEmail must be given (got ${given})`;
    throw invalidRequest([{ pointer: '#', code: 'exactlyOne', detail }]);
  }
  const canonical = canonicalEmail(userEmail);
  if (canonical === null) {
    const detail = 'userEmail must be an e-mail address such as user@example.com';
    throw invalidRequest([{ pointer: '#/userEmail', code: 'format', detail }]);
  }
  return emailIdentity(pepper, appUid, canonical);
}
