// A thousand concurrent first sign-ins of one identity, in several rounds.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { startService, type TestService } from '../support/service.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';
import { tooSlow } from '../integration/api/problems.ts';

const rounds = soakShare(20);
const signInsPerRound = 1_000;

let service: TestService;
let sockets: Pool;

beforeAll(async () => {
  service = await startService({ worker: false });
  // One connection each, because otherwise only a few would reach the service at a time.
  sockets = new Pool(service.apiUrl, {
    connections: signInsPerRound,
    pipelining: 1,
    connectTimeout: 60_000,
  });
});

afterAll(async () => {
  await sockets?.close();
  await service?.[Symbol.asyncDispose]();
});

interface SignedIn {
  status: number;
  userUid: string;
  created: boolean;
  wasRefused: boolean;
}

/** Signs in, and tries again while the service rejects it as too slow for a thousand concurrent calls. */
async function signIn(body: Record<string, unknown>): Promise<SignedIn> {
  let wasRefused = false;
  return waitFor(
    async () => {
      const answer = await sockets.request({
        method: 'POST',
        path: `/api/v1/appuid/${service.app.appUid}/sdkusers/auth`,
        headers: { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      const { userUid, created } = JSON.parse(text) as Omit<SignedIn, 'status'>;
      if (answer.statusCode !== 503) {
        return { status: answer.statusCode, userUid, created, wasRefused };
      }
      // For its time, and never for their number.
      expect(text).toMatch(tooSlow);
      wasRefused = true;
      await delay(1_000 * Number(answer.headers['retry-after']));
      return false;
    },
    { what: 'a sign-in that is not refused as too slow' },
  );
}

test('each round creates one user, every call gets 200, and exactly one reports the creation', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const identity =
      round % 2 === 0
        ? { externalId: `storm-${round}` }
        : { userEmail: `storm-${round}@example.com` };
    // In every fourth round the user gets an account, too.
    const accountUids = round % 4 === 0 ? [service.app.accountUid] : [];
    const answers = await Promise.all(
      Array.from({ length: signInsPerRound }, () => signIn({ ...identity, accountUids })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.userUid)).size).toBe(1);
    // The call that created the user may have been rejected, and then its repeat found the user.
    const created = answers.filter((answer) => answer.created).length;
    expect(created).toBeLessThanOrEqual(1);
    if (!answers.some((answer) => answer.wasRefused)) expect(created).toBe(1);
  }
  expect(await service.store.users.countDocuments()).toBe(rounds);
  const added = { action: 'account.member_added' };
  expect(await service.store.auditLog.countDocuments(added)).toBe(Math.ceil(rounds / 4));
}, 600_000);
