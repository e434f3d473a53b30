import { canonicalEmail } from '../../lib/access/canonical-email.ts';
import { limits } from '../../lib/limits.ts';
import { tokenId } from '../../lib/model/token.ts';
import type { UserDocument, UserIdentity } from '../../lib/model/user.ts';
import { findKnownAccounts } from '../../lib/identity/accounts.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { findOrCreateUser, removeFromAccounts } from '../../lib/identity/users.ts';
import { checkAccounts } from '../../lib/identity/check-accounts.ts';
import type { Handler } from '../route.ts';
import {
  emailField,
  identifierField,
  lineField,
  tenantField,
  uidField,
} from '../http/text-fields.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { spend } from '../access/rate-limits.ts';
import { emailIdentity, identitySubject } from './user-identity.ts';
import { signUserToken } from '../../lib/identity/user-token.ts';
import { boolean, named, objectOf, text, time, described } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

interface SignUserInBody {
  externalId?: string;
  userEmail?: string;
  name?: string;
  accountUids?: string[];
  externalTenantId?: string;
  expiresInSeconds?: number;
}

export const signUserInBody = validator<SignUserInBody>(
  {
    properties: described(
      {
        externalId: identifierField(limits.externalIdCharactersMax),
        userEmail: emailField,
        name: lineField(limits.nameCharactersMax),
        accountUids: { type: 'array', maxItems: limits.accountUidsMax, items: uidField },
        externalTenantId: tenantField,
        expiresInSeconds: {
          type: 'integer',
          minimum: limits.userTokenLifetimeMinMs / 1_000,
          maximum: limits.userTokenLifetimeMaxMs / 1_000,
        },
      },
      {
        externalId:
          'Your ID of the user. It is recommended over `userEmail`. Send exactly one of `externalId` and `userEmail`.',
        userEmail: 'An email address, in upper or lower case. Only its keyed hash is kept.',
        name: 'The name of the user. It is used only for a new user.',
        accountUids:
          'Accounts of the application to add the user to. The user is not removed from any account.',
        externalTenantId:
          'The tenant for which the user signs in. The token carries it as `tenant`, where anyone can read it. It grants nothing.',
        expiresInSeconds: 'The lifetime of the token. By default the operators set it.',
      },
    ),
  },
  ['externalId', 'userEmail'],
);

interface SignedIn {
  authToken: string;
  expiresAt: string;
  userUid: string;
  created: boolean;
}

const signedInSchema = named(
  'SignedIn',
  objectOf<SignedIn>({
    authToken: {
      ...text,
      description: 'A JWT. Verify it with the keys of /.well-known/jwks.json.',
    },
    expiresAt: time,
    userUid: text,
    created: { ...boolean, description: 'True if the user is new.' },
  }),
);

const facts: Operation = {
  id: 'signUserIn',
  summary: 'Sign in a user',
  description: 'The first sign-in creates the user.',
  example: { externalId: 'user-1', name: 'Ada' },
  answers: { 200: { description: 'The token', schema: signedInSchema } },
  problems: ['unknown_account_uids', 'limit_reached'],
};

/** Throws `unknown_account_uids`, or `limit_reached` at 100 accounts per user. */
export const signUserIn: Handler<SignUserInBody> = operation(
  facts,
  async ({ appUid, body, caller }, context) => {
    const { store, config, rateLimits } = context;
    const { identity, email } = identify(body, { appUid, pepper: config.keyPepper });
    spend(rateLimits.signIn, identitySubject(config.keyPepper, appUid, identity));
    await checkAccounts(store, { appUid, accountUids: body.accountUids ?? [] });
    const wanted = {
      appUid,
      identity,
      email,
      name: body.name ?? null,
      accountUids: [...new Set(body.accountUids)],
      caller,
      now: context.clock.now(),
    };
    const { user, created } = await findOrCreateUser(store, wanted, context.readUser);
    const [epochs, accountUids] = await Promise.all([
      context.readTokenEpoch(user),
      dropDeletedAccounts(store, user),
    ]);
    const { externalTenantId = null, expiresInSeconds } = body;
    const apiKeyUid = caller.actor.uid ?? '';
    const identified = { userUid: user._id, appUid, accountUids, externalTenantId, apiKeyUid };
    const { authToken, tokenUid, issuedAt, expiresAt } = await signUserToken(
      await context.signingKeys.active(),
      { ...identified, ...epochs },
      {
        issuer: config.http.publicUrl,
        now: context.clock.now(),
        lifetimeMs:
          expiresInSeconds === undefined ? config.userTokenLifetimeMs : expiresInSeconds * 1_000,
      },
    );
    context.tokens.record({
      _id: tokenId(user._id, tokenUid),
      appUid,
      apiKeyUid,
      externalTenantId,
      epoch: epochs.epoch,
      issuedAt,
      expiresAt,
    });
    const answer = { authToken, expiresAt: expiresAt.toISOString(), userUid: user._id, created };
    return { status: 200, body: answer };
  },
);

/** A deletion may not have reached this user yet, or may have run while the account was being added. */
async function dropDeletedAccounts(store: Store, user: UserDocument): Promise<string[]> {
  const { _id, appUid, accountUids } = user;
  const known = await findKnownAccounts(store, { appUid, accountUids });
  if (known.length < accountUids.length) {
    const deleted = accountUids.filter((uid) => !known.includes(uid));
    await removeFromAccounts(store, { _id, appUid }, deleted);
  }
  return known;
}

function identify(
  { externalId, userEmail }: SignUserInBody,
  { appUid, pepper }: { appUid: string; pepper: string },
): { identity: UserIdentity; email?: string } {
  // The validator accepts exactly one of the two.
  if (externalId !== undefined) return { identity: { externalId } };
  const canonical = canonicalEmail(userEmail ?? '');
  if (canonical === null) {
    const detail = 'userEmail must be an email address such as user@example.com';
    throw invalidRequest([{ pointer: '#/userEmail', code: 'format', detail }]);
  }
  return emailIdentity(pepper, appUid, canonical);
}
