// Sign-ins, checks and revocations of tokens, rolls of keys, and reads that must show nothing of others.
import { type Application, callOf, pick, pickWeighted, type Scene } from './application.ts';
import type { Reply } from './caller.ts';
import { effectEndMs } from './rules/calls.ts';
import type { TokenHistory } from './history.ts';

const userCount = 20;
const tokensMax = 100;
const lists = ['/events', '/deliveries', '/webhooks', '/agents', '/contexts', '/sdkusers'];
const lifetimeSeconds = 3_600;

/** A sign-in during a revocation may be before or after it, so its token tells nothing. */
const isClear = (revocations: TokenHistory['revocations'], startMs: number): boolean =>
  revocations.every((call) => effectEndMs(call) < startMs);

type Operation = (scene: Scene, application: Application) => Promise<void>;

const operations = {
  async signIn({ caller, observed, random }, application) {
    const externalId = `user-${Math.floor(random() * userCount)}`;
    const accountUids = random() < 0.3 ? [application.app.accountUid] : [];
    const body = { externalId, accountUids, expiresInSeconds: lifetimeSeconds };
    // Each try is a sign-in of its own, of which the last counts.
    const path = '/sdkusers/auth';
    const reply = await caller.call(application.app, `POST ${path}`, { body });
    if (reply.outcome !== 'accepted') return;
    const token = String(reply.body['authToken']);
    const [, claims = ''] = token.split('.');
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string };
    const { appUid } = application.app;
    const earlier = application.revocations.filter(
      ({ userUid }) => userUid === null || userUid === sub,
    );
    if (!isClear(earlier, reply.startMs)) return;
    const history = { appUid, userUid: sub, revocations: [], checks: [] };
    observed.tokens.push(history);
    application.tokens.push({ token, history });
    if (application.tokens.length > tokensMax) application.tokens.shift();
  },
  async check({ caller, random }, application) {
    const held = pick(random, application.tokens);
    if (held === undefined) return;
    const body = { authToken: held.token };
    const path = '/sdkusers/token/verify';
    const reply = await caller.call(application.app, `POST ${path}`, { body, patienceMs: 0 });
    const { startMs, endMs, outcome } = reply;
    const isActive = outcome === 'accepted' ? reply.body['active'] === (true as never) : null;
    const reason = reply.body['reason'];
    const told = { isActive, reason: typeof reason === 'string' ? reason : null };
    held.history.checks.push({ startMs, endMs, ...told });
  },
  async revoke(scene, application) {
    const held = pick(scene.random, application.tokens);
    if (held === undefined) return;
    const { userUid } = held.history;
    await revoke(scene, application, userUid);
  },
  async revokeAll(scene, application) {
    await revoke(scene, application, null);
  },
  async rollKey({ caller, adminHeaders: headers }, application) {
    const { appUid } = application.app;
    const path = `/admin/api/apps/${appUid}/keys/${application.keyUid}/roll`;
    const content = { headers: { ...headers }, body: { overlapSeconds: 86_400 }, patienceMs: 0 };
    const reply = await caller.raw(`POST ${path}`, content);
    if (reply.outcome !== 'accepted') return;
    application.app = { ...application.app, apiKey: String(reply.body['apiKey']) };
    application.keyUid = String(reply.body['uid']);
  },
  async read({ caller, observed, random, applications }, application) {
    const path = pick(random, lists) ?? '/webhooks';
    const reply = await caller.call(application.app, `GET ${path}`, { patienceMs: 0 });
    const others = applications.filter((each) => each !== application);
    const foreign = others
      .flatMap(({ app, number }) => [app.appUid, `/${number}-`, `"m-${number}-`])
      .filter((text) => reply.text.includes(text));
    observed.reads.push({ ...callOf(application, reply), path, foreign });
  },
} satisfies Record<string, Operation>;

/** Revokes the tokens of a user, or of all users. */
async function revoke(
  { caller }: Scene,
  application: Application,
  userUid: string | null,
): Promise<void> {
  const path = userUid === null ? '/sdkusers/tokens/revoke' : `/sdkusers/${userUid}/tokens/revoke`;
  // A call that has begun may take effect at any time until its end.
  const revocation = { ...callOf(application, noReplyYet()), userUid };
  application.revocations.push(revocation);
  for (const { history } of application.tokens)
    if (userUid === null || history.userUid === userUid) history.revocations.push(revocation);
  const reply = await caller.call(application.app, `POST ${path}`);
  Object.assign(revocation, callOf(application, reply));
}

const noReplyYet = (): Reply => {
  const startMs = Date.now();
  const none = { status: null, body: {} as Reply['body'], text: '', isRepeated: false };
  return { startMs, endMs: Infinity, outcome: 'unknown', ...none };
};

const weights = { signIn: 10, check: 10, read: 5, revoke: 1, revokeAll: 0.1, rollKey: 0.1 };

/** Does one operation at random. */
export async function operateUsers(scene: Scene, application: Application): Promise<void> {
  await operations[pickWeighted(scene.random, weights)](scene, application);
}
