import type { JWK } from 'jose';
import { isRevokedAlone } from '../../lib/identity/tokens.ts';
import { type VerifiedClaims, verifyUserToken } from '../../lib/identity/verify-user-token.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { ApiContext } from '../context.ts';
import type { Handler } from '../route.ts';
import { uidField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import {
  boolean,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  text,
  textOrNull,
  time,
} from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

interface VerifyTokenBody {
  authToken: string;
  agentUid?: string;
  origin?: string;
}

// Checks only that the token and the origin are strings: invalid ones are a result, not an error.
export const verifyTokenBody = validator<VerifyTokenBody>({
  required: ['authToken'],
  properties: {
    authToken: { type: 'string' },
    agentUid: { ...uidField, description: 'The agent that the user wants to reach.' },
    origin: {
      type: 'string',
      description:
        'The header `Origin` of the request that brought the token. It is checked only if the token has a list of origins.',
    },
  },
});

const goodToken = named('ActiveToken', {
  type: 'object',
  properties: {
    active: { const: true },
    userUid: text,
    accountUids: listOf(text),
    externalTenantId: {
      ...textOrNull,
      description: 'The tenant that the sign-in named, or null. It grants nothing.',
    },
    tokenUid: text,
    issuedAt: time,
    expiresAt: time,
    agent: {
      ...objectOf<{ uid: string; allowed: boolean }>({ uid: text, allowed: boolean }),
      description: 'Present only if `agentUid` was sent.',
    },
  },
  required: [
    'active',
    'userUid',
    'accountUids',
    'externalTenantId',
    'tokenUid',
    'issuedAt',
    'expiresAt',
  ],
});

const badToken = named('InactiveToken', {
  type: 'object',
  properties: {
    active: { const: false },
    reason: {
      ...oneOfTexts(['invalid', 'expired', 'revoked', 'origin']),
      description:
        '`expired`: the token was valid before. `revoked`: the token was revoked, or the user was deleted. `origin`: the token is not for this origin. `invalid`: any other reason.',
    },
  },
  required: ['active', 'reason'],
});

const verifiedTokenSchema = named('VerifiedToken', { oneOf: [goodToken, badToken] });

const facts: Operation = {
  id: 'verifyToken',
  summary: 'Verify a token',
  description: 'If you send `agentUid`, the response shows whether the user can reach that agent.',
  example: { authToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
  answers: {
    200: {
      description: 'The owner of the token, or the reason why it is not valid',
      schema: verifiedTokenSchema,
    },
  },
};

/** Returns the user of the token, or why it is not valid. Nothing is cached. */
export const verifyToken: Handler<VerifyTokenBody> = operation(
  facts,
  async ({ appUid, body }, context) => {
    const now = context.clock.now();
    const { claims, reason } = await verifyUserToken(body.authToken, {
      findKey: (keyId) => findPublicKey(context.store, keyId),
      issuer: context.config.http.publicUrl,
      appUid,
      now,
    });
    if (claims === null) return { status: 200, body: { active: false, reason } };
    if (!isForOrigin(claims, body.origin)) {
      return { status: 200, body: { active: false, reason: 'origin' } };
    }
    if (await isRevoked(context, claims)) {
      return { status: 200, body: { active: false, reason: 'revoked' } };
    }
    const agent =
      body.agentUid === undefined ? {} : { agent: await reach(context, claims, body.agentUid) };
    return {
      status: 200,
      body: {
        active: true,
        userUid: claims.userUid,
        accountUids: claims.accountUids,
        externalTenantId: claims.externalTenantId,
        tokenUid: claims.tokenUid,
        issuedAt: claims.issuedAt.toISOString(),
        expiresAt: claims.expiresAt.toISOString(),
        ...agent,
      },
    };
  },
);

// Read each time, so that a removed key ends its tokens immediately.
async function findPublicKey(store: Store, keyId: string): Promise<JWK | null> {
  const key = await store.signingKeys.findOne({ _id: keyId }, { projection: { publicKey: 1 } });
  return key?.publicKey ?? null;
}

function isForOrigin({ origins }: VerifiedClaims, origin: string | undefined): boolean {
  return origins === null || origin === undefined || origins.includes(origin);
}

async function isRevoked(
  { store, readTokenEpoch }: ApiContext,
  claims: VerifiedClaims,
): Promise<boolean> {
  const { appUid, userUid, epoch } = claims;
  const [user, isAlone] = await Promise.all([
    store.users.findOne(
      { _id: userUid, appUid, deletedAt: null },
      { projection: { appUid: 1, tokenEpoch: 1 } },
    ),
    isRevokedAlone(store, claims),
  ]);
  return isAlone || user === null || (await readTokenEpoch(user)).epoch !== epoch;
}

// An agent uid may come from a browser, so an unknown one is not an error.
async function reach(
  { store }: ApiContext,
  { appUid, accountUids }: VerifiedClaims,
  agentUid: string,
): Promise<{ uid: string; allowed: boolean }> {
  const agent = await store.agents.findOne({ _id: agentUid, appUid });
  if (agent === null) return { uid: agentUid, allowed: false };
  // Null allows all users. An empty list, left by deleted accounts, allows nobody.
  const allowed =
    agent.accountUids === null || agent.accountUids.some((uid) => accountUids.includes(uid));
  return { uid: agentUid, allowed };
}
