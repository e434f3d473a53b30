// POST …/sdkusers/token/verify: whether a user token is good at this moment, and for which agent.
import type { JWK } from 'jose';
import { type VerifiedClaims, verifyUserToken } from '../../lib/identity/verify-user-token.ts';
import type { AgentDocument } from '../../lib/model/resource.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { ApiContext } from '../context.ts';
import type { Handler } from '../router.ts';
import { uidField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';

export interface VerifyTokenBody {
  authToken: string;
  agentUid?: string;
}

/** Of the token only that it is text: a bad token is an answer, not an error. */
export const verifyTokenBody = validator<VerifyTokenBody>({
  type: 'object',
  additionalProperties: false,
  required: ['authToken'],
  properties: {
    authToken: { type: 'string' },
    agentUid: uidField,
  },
});

/**
 * Tells whose token it is, or that it is none: `expired` (sign the user in again), `revoked` (the
 * user's sessions were ended, or the user deleted), or `invalid`. Nothing of it is cached.
 */
export const verifyToken: Handler<VerifyTokenBody> = async ({ appUid, body }, context) => {
  const now = context.clock.now();
  const { claims, reason } = await verifyUserToken(body.authToken, {
    findKey: (keyId) => findPublicKey(context.store, keyId),
    issuer: context.config.http.publicUrl,
    appUid,
    now,
  });
  if (claims === null) return { status: 200, body: { active: false, reason } };
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
      tokenUid: claims.tokenUid,
      issuedAt: claims.issuedAt.toISOString(),
      expiresAt: claims.expiresAt.toISOString(),
      ...agent,
    },
  };
};

/** Read each time: a key that was taken away ends its tokens at once. */
async function findPublicKey(store: Store, keyId: string): Promise<JWK | null> {
  const key = await store.signingKeys.findOne({ _id: keyId }, { projection: { publicKey: 1 } });
  return key?.publicKey ?? null;
}

async function isRevoked(
  { store, readTokenEpoch }: ApiContext,
  { appUid, userUid, epoch }: VerifiedClaims,
): Promise<boolean> {
  const user = await store.users.findOne(
    { _id: userUid, appUid, deletedAt: null },
    { projection: { appUid: 1, tokenEpoch: 1 } },
  );
  return user === null || (await readTokenEpoch(user)) !== epoch;
}

/** An agent uid may come from a browser, so one that does not exist is simply not allowed. */
async function reach(
  { store }: ApiContext,
  { appUid, accountUids }: VerifiedClaims,
  agentUid: string,
): Promise<{ uid: string; allowed: boolean }> {
  const agent = await store.agents.findOne({ _id: agentUid, appUid });
  return { uid: agentUid, allowed: agent !== null && isOpenTo(agent, accountUids) };
}

/**
 * An agent without accounts is open to all users of the application; one that names accounts, to
 * those whose token has one of them; one whose accounts were all deleted, to nobody.
 */
function isOpenTo(
  agent: Pick<AgentDocument, 'accountUids'>,
  accountUids: readonly string[],
): boolean {
  if (agent.accountUids === null) return true;
  return agent.accountUids.some((uid) => accountUids.includes(uid));
}
